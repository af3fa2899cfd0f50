aie.device(npu2) {
  %t = aie.tile(0, 2)
  %l = aie.lock(%t, 1) {init = 1 : i32}
  func.func @blocks(%lock: index) {
    aie.use_lock(%lock, AcquireGreaterEqual, 1)
    cf.br ^bb1
  ^bb1:
    return
  }
  func.func @again(%lock: index) {
    func.call @again(%lock) : (index) -> ()
    return
  }
  aie.core(%t) {
    func.call @blocks(%l) : (index) -> ()
    func.call @again(%l) : (index) -> ()
    aie.end
  }
}
