// Convolutions of 8-bit images. Eight channels of a pixel follow one another, then the pixels of a line, then the next eight channels.
// Weights follow as eights of output channels, eights of input channels, rows and columns of the kernel, input channels, output
// channels. Sums are shifted down, the half rounded up, and cut to 8 bits. Source: `mlir-aie: aie_kernels/aie2/conv2dk{1,3}.cc`.

// 1 × 1.
func.func @conv2dk1_bytes(%in: !a, %weights: !weights, %out: !out, %width: index, %inputs: index, %outputs: index, %shift: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %least = arith.constant -128 : i32
  %most = arith.constant 127 : i32
  %bits = arith.index_cast %shift : index to i32
  %power = arith.shli %one, %bits : i32
  %half = arith.shrui %power, %one : i32
  %groups_in = arith.divui %inputs, %c8 : index
  %groups_out = arith.divui %outputs, %c8 : index
  %step = arith.constant 64 : index
  scf.for %group = %c0 to %groups_out step %c1 {
    scf.for %pixel = %c0 to %width step %c1 {
      scf.for %to = %c0 to %c8 step %c1 {
        %before = arith.muli %group, %groups_in : index
        %blocks = arith.muli %before, %c64 : index
        %first = arith.addi %blocks, %to : index
        %sum = scf.for %group_sum = %c0 to %groups_in step %c1 iter_args(%of_groups_sum = %zero) -> (i32) {
          %lines_sum = arith.muli %group_sum, %width : index
          %place_sum = arith.addi %lines_sum, %pixel : index
          %values_sum = arith.muli %place_sum, %c8 : index
          %skipped_sum = arith.muli %group_sum, %step : index
          %weight_sum = arith.addi %first, %skipped_sum : index
          %of_group_sum = scf.for %from_sum = %c0 to %c8 step %c1 iter_args(%sum_sum = %of_groups_sum) -> (i32) {
            %at_sum = arith.addi %values_sum, %from_sum : index
            %rows_sum = arith.muli %from_sum, %c8 : index
            %of_sum = arith.addi %weight_sum, %rows_sum : index
            %narrow_sum = memref.load %in[%at_sum] : !a
            %factor_sum = memref.load %weights[%of_sum] : !weights
            %x_sum = arith.extsi %narrow_sum : !e to i32
            %y_sum = arith.extsi %factor_sum : !e to i32
            %product_sum = arith.muli %x_sum, %y_sum : i32
            %next_sum = arith.addi %sum_sum, %product_sum : i32
            scf.yield %next_sum : i32
          }
          scf.yield %of_group_sum : i32
        }
        %raised = arith.addi %sum, %half : i32
        %shifted = arith.shrsi %raised, %bits : i32
        %bounded = arith.maxsi %shifted, %least : i32
        %cut = arith.minsi %bounded, %most : i32
        %byte = arith.trunci %cut : i32 to !e
        %lines_out = arith.muli %group, %width : index
        %place_out = arith.addi %lines_out, %pixel : index
        %values_out = arith.muli %place_out, %c8 : index
        %at_out = arith.addi %values_out, %to : index
        memref.store %byte, %out[%at_out] : !out
      }
    }
  }
  return
}

// 3 × 3: the lines above, at and below the output's, with zeros around the image; at its upper border (0) and its lower one (2) a line is
// missing. Output channels begin with number `first`.
func.func @conv2dk3_bytes(%above: !above, %line: !line, %below: !below, %weights: !weights, %out: !out, %width: index, %inputs: index, %outputs: index, %kernel_width: index, %kernel_height: index, %border: index, %shift: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %least = arith.constant -128 : i32
  %most = arith.constant 127 : i32
  %bits = arith.index_cast %shift : index to i32
  %power = arith.shli %one, %bits : i32
  %half = arith.shrui %power, %one : i32
  %groups_in = arith.divui %inputs, %c8 : index
  %groups_out = arith.divui %outputs, %c8 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %step = arith.constant 576 : index
  %groups_before = arith.divui %first, %c8 : index
  %is_top = arith.cmpi eq, %border, %c0 : index
  %is_bottom = arith.cmpi eq, %border, %c2 : index
  %beyond = arith.addi %width, %c1 : index
  scf.for %group = %c0 to %groups_out step %c1 {
    scf.for %pixel = %c0 to %width step %c1 {
      scf.for %to = %c0 to %c8 step %c1 {
        %own = arith.addi %group, %groups_before : index
        %before = arith.muli %own, %groups_in : index
        %blocks = arith.muli %before, %step : index
        %weights_from = arith.addi %blocks, %to : index
        %is_left = arith.cmpi eq, %pixel, %c0 : index
        %left = arith.select %is_left, %c1, %c0 : index
        %rest = arith.subi %beyond, %pixel : index
        %right = arith.minsi %rest, %c3 : index
        %above_right = arith.select %is_top, %c0, %right : index
        %below_right = arith.select %is_bottom, %c0, %right : index
        %row_above = arith.constant 0 : index
        %of_above = scf.for %column_above = %left to %above_right step %c1 iter_args(%so_far_above = %zero) -> (i32) {
          %right_above = arith.addi %pixel, %column_above : index
          %pixel_above = arith.subi %right_above, %c1 : index
          %tap_above = arith.addi %row_above, %column_above : index
          %taps_above = arith.muli %tap_above, %c64 : index
          %begin_above = arith.addi %weights_from, %taps_above : index
          %with_above = scf.for %group_with_above = %c0 to %groups_in step %c1 iter_args(%of_groups_with_above = %so_far_above) -> (i32) {
            %lines_with_above = arith.muli %group_with_above, %width : index
            %place_with_above = arith.addi %lines_with_above, %pixel_above : index
            %values_with_above = arith.muli %place_with_above, %c8 : index
            %skipped_with_above = arith.muli %group_with_above, %step : index
            %weight_with_above = arith.addi %begin_above, %skipped_with_above : index
            %of_group_with_above = scf.for %from_with_above = %c0 to %c8 step %c1 iter_args(%sum_with_above = %of_groups_with_above) -> (i32) {
              %at_with_above = arith.addi %values_with_above, %from_with_above : index
              %rows_with_above = arith.muli %from_with_above, %c8 : index
              %of_with_above = arith.addi %weight_with_above, %rows_with_above : index
              %narrow_with_above = memref.load %above[%at_with_above] : !above
              %factor_with_above = memref.load %weights[%of_with_above] : !weights
              %x_with_above = arith.extsi %narrow_with_above : !e to i32
              %y_with_above = arith.extsi %factor_with_above : !e to i32
              %product_with_above = arith.muli %x_with_above, %y_with_above : i32
              %next_with_above = arith.addi %sum_with_above, %product_with_above : i32
              scf.yield %next_with_above : i32
            }
            scf.yield %of_group_with_above : i32
          }
          scf.yield %with_above : i32
        }
        %row_line = arith.constant 3 : index
        %of_line = scf.for %column_line = %left to %right step %c1 iter_args(%so_far_line = %of_above) -> (i32) {
          %right_line = arith.addi %pixel, %column_line : index
          %pixel_line = arith.subi %right_line, %c1 : index
          %tap_line = arith.addi %row_line, %column_line : index
          %taps_line = arith.muli %tap_line, %c64 : index
          %begin_line = arith.addi %weights_from, %taps_line : index
          %with_line = scf.for %group_with_line = %c0 to %groups_in step %c1 iter_args(%of_groups_with_line = %so_far_line) -> (i32) {
            %lines_with_line = arith.muli %group_with_line, %width : index
            %place_with_line = arith.addi %lines_with_line, %pixel_line : index
            %values_with_line = arith.muli %place_with_line, %c8 : index
            %skipped_with_line = arith.muli %group_with_line, %step : index
            %weight_with_line = arith.addi %begin_line, %skipped_with_line : index
            %of_group_with_line = scf.for %from_with_line = %c0 to %c8 step %c1 iter_args(%sum_with_line = %of_groups_with_line) -> (i32) {
              %at_with_line = arith.addi %values_with_line, %from_with_line : index
              %rows_with_line = arith.muli %from_with_line, %c8 : index
              %of_with_line = arith.addi %weight_with_line, %rows_with_line : index
              %narrow_with_line = memref.load %line[%at_with_line] : !line
              %factor_with_line = memref.load %weights[%of_with_line] : !weights
              %x_with_line = arith.extsi %narrow_with_line : !e to i32
              %y_with_line = arith.extsi %factor_with_line : !e to i32
              %product_with_line = arith.muli %x_with_line, %y_with_line : i32
              %next_with_line = arith.addi %sum_with_line, %product_with_line : i32
              scf.yield %next_with_line : i32
            }
            scf.yield %of_group_with_line : i32
          }
          scf.yield %with_line : i32
        }
        %row_below = arith.constant 6 : index
        %sum = scf.for %column_below = %left to %below_right step %c1 iter_args(%so_far_below = %of_line) -> (i32) {
          %right_below = arith.addi %pixel, %column_below : index
          %pixel_below = arith.subi %right_below, %c1 : index
          %tap_below = arith.addi %row_below, %column_below : index
          %taps_below = arith.muli %tap_below, %c64 : index
          %begin_below = arith.addi %weights_from, %taps_below : index
          %with_below = scf.for %group_with_below = %c0 to %groups_in step %c1 iter_args(%of_groups_with_below = %so_far_below) -> (i32) {
            %lines_with_below = arith.muli %group_with_below, %width : index
            %place_with_below = arith.addi %lines_with_below, %pixel_below : index
            %values_with_below = arith.muli %place_with_below, %c8 : index
            %skipped_with_below = arith.muli %group_with_below, %step : index
            %weight_with_below = arith.addi %begin_below, %skipped_with_below : index
            %of_group_with_below = scf.for %from_with_below = %c0 to %c8 step %c1 iter_args(%sum_with_below = %of_groups_with_below) -> (i32) {
              %at_with_below = arith.addi %values_with_below, %from_with_below : index
              %rows_with_below = arith.muli %from_with_below, %c8 : index
              %of_with_below = arith.addi %weight_with_below, %rows_with_below : index
              %narrow_with_below = memref.load %below[%at_with_below] : !below
              %factor_with_below = memref.load %weights[%of_with_below] : !weights
              %x_with_below = arith.extsi %narrow_with_below : !e to i32
              %y_with_below = arith.extsi %factor_with_below : !e to i32
              %product_with_below = arith.muli %x_with_below, %y_with_below : i32
              %next_with_below = arith.addi %sum_with_below, %product_with_below : i32
              scf.yield %next_with_below : i32
            }
            scf.yield %of_group_with_below : i32
          }
          scf.yield %with_below : i32
        }
        %raised = arith.addi %sum, %half : i32
        %shifted = arith.shrsi %raised, %bits : i32
        %bounded = arith.maxsi %shifted, %least : i32
        %cut = arith.minsi %bounded, %most : i32
        %byte = arith.trunci %cut : i32 to !e
        %lines_out = arith.muli %group, %width : index
        %place_out = arith.addi %lines_out, %pixel : index
        %values_out = arith.muli %place_out, %c8 : index
        %at_out = arith.addi %values_out, %to : index
        memref.store %byte, %out[%at_out] : !out
      }
    }
  }
  return
}

// One channel in one dimension. `in` has (taps - 1) / 2 zeros before the samples, and as many at least after them; `weights`
// has the taps, then the bias. Computed in f32.
func.func @dwconv1d_narrow_float(%in: !a, %weights: !weights, %out: !out, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = memref.dim %weights, %c0 : !weights
  %taps = arith.subi %length, %c1 : index
  %bias_e = memref.load %weights[%taps] : !weights
  %bias = arith.extf %bias_e : !e to f32
  scf.for %i = %c0 to %count step %c1 {
    %sum = scf.for %tap = %c0 to %taps step %c1 iter_args(%before = %bias) -> (f32) {
      %at = arith.addi %i, %tap : index
      %x_e = memref.load %in[%at] : !a
      %x = arith.extf %x_e : !e to f32
      %w_e = memref.load %weights[%tap] : !weights
      %w = arith.extf %w_e : !e to f32
      %product = arith.mulf %x, %w : f32
      %after = arith.addf %before, %product : f32
      scf.yield %after : f32
    }
    %sum_e = arith.truncf %sum : f32 to !e
    memref.store %sum_e, %out[%i] : !out
  }
  return
}
