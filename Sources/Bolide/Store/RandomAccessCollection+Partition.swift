extension RandomAccessCollection where Index == Int {
  /// The first place whose element does not meet a condition which elements meet up to some place and none after it.
  @inline(__always)
  func partition(where isBefore: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
