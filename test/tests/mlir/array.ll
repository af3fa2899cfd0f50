; The intrinsics of cores for this machine: the array of array.c.
define void @stub_acquire(i32 %lock, i32 %value) {
  call void @array_acquire(i32 %lock, i32 %value)
  ret void
}
define void @stub_release(i32 %lock, i32 %value) {
  call void @array_release(i32 %lock, i32 %value)
  ret void
}
define void @stub_lock.acquire.reg(i32 %lock, i32 %value) {
  call void @array_acquire(i32 %lock, i32 %value)
  ret void
}
define void @stub_lock.release.reg(i32 %lock, i32 %value) {
  call void @array_release(i32 %lock, i32 %value)
  ret void
}
define void @stub_event(i32 %event) {
  call void @array_event(i32 %event)
  ret void
}
define void @stub_event0() {
  call void @array_event(i32 0)
  ret void
}
define void @stub_event1() {
  call void @array_event(i32 1)
  ret void
}
define void @stub_put.ms(i32 %word, i32 %last) {
  call void @array_put(i32 %word)
  ret void
}
define { i32, i32 } @stub_get.ss() {
  %word = call i32 @array_get()
  %half = insertvalue { i32, i32 } zeroinitializer, i32 %word, 0
  ret { i32, i32 } %half
}
define void @stub_mcd.write.vec(<16 x i32> %words, i32 %enable) {
  %at = alloca <16 x i32>
  store <16 x i32> %words, ptr %at
  call void @array_cascade_put(ptr %at)
  ret void
}
define <16 x i32> @stub_scd.read.vec(i32 %enable) {
  %at = alloca <16 x i32>
  call void @array_cascade_get(ptr %at)
  %words = load <16 x i32>, ptr %at
  ret <16 x i32> %words
}
declare void @array_acquire(i32, i32)
declare void @array_release(i32, i32)
declare void @array_event(i32)
declare void @array_put(i32)
declare i32 @array_get()
declare void @array_cascade_put(ptr)
declare void @array_cascade_get(ptr)

; Rounds to the nearest even, as the libraries of newer compilers do it.
define weak bfloat @__truncsfbf2(float %value) {
  %bits = bitcast float %value to i32
  %shifted = lshr i32 %bits, 16
  %odd = and i32 %shifted, 1
  %half = add i32 %odd, 32767
  %rounded = add i32 %bits, %half
  %number = fcmp ord float %value, 0.0
  %nan = or i32 %bits, 4194304
  %result = select i1 %number, i32 %rounded, i32 %nan
  %upper = lshr i32 %result, 16
  %narrow = trunc i32 %upper to i16
  %bfloat = bitcast i16 %narrow to bfloat
  ret bfloat %bfloat
}
