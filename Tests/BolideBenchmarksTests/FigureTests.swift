import Testing

@testable import BolideBenchmarks

@Suite struct FigureTests {
  @Test func `a median is the middle value, or the mean of the two in the middle`() {
    #expect(median([]) == 0)
    #expect(median([7]) == 7)
    #expect(median([9, 1, 5]) == 5)
    #expect(median([4, 1, 9, 2]) == 3)
  }

  @Test func `figures have the digits that say something`() {
    #expect(Figure.short(3) == "3")
    #expect(Figure.short(1 / 1.4) == "0.71")
    #expect(Figure.factor(0.987) == "0.99")
    #expect(Figure.factor(228.6) == "229")
    #expect(Figure.rate(12.345) == "12.35")
    #expect(Figure.rate(4_321) == "4321")
    #expect(Figure.rate(54_321) == "54k")
    #expect(Figure.rate(200_000_000) == "200.0M")
    #expect(Figure.duration(2) == "2 s")
    #expect(Figure.duration(0.0125) == "12.5 ms")
    #expect(Figure.duration(0.00002) == "20 µs")
    #expect(Figure.megabytes(1_250_000) == "1.2")
  }
}
