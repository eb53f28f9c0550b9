import Testing

@testable import BolideBenchmarks

@Suite struct InstructionTests {
  @Test func `callgrind's total is read from its last lines`() {
    let file = """
      version: 1
      events: Ir
      summary: 900

      fn=(1) main
      1 2
      totals: 1234567
      """
    #expect(InstructionCounter.total(of: file) == 1_234_567)
    #expect(InstructionCounter.total(of: "events: Ir\nsummary: 42\n") == 42)
    #expect(InstructionCounter.total(of: "events: Ir\n") == nil)
  }

  @Test func `what does not grow is not counted, but where nothing grows`() {
    #expect(InstructionCount.cost((1_500, 100), (3_500, 300)) == 10)
    #expect(InstructionCount.cost((1_500, 400), (4_000, 400)) == 10)
  }

  @Test func `fewer instructions than the other side are a ratio above one`() {
    var count = InstructionCount(job: .reimport, store: .lmdb, rows: 1_000, ours: 200, theirs: 500)
    #expect(count.ratio == 2.5)
    #expect(
      count.json.text
        == #"{"instructions":200.0,"job":"reimport-same","otherInstructions":500.0,"ratio":2.5,"rows":1000,"#
        + #""store":"lmdb"}"#)
    #expect(count.line.hasSuffix("200         500    2.50"))
    count.theirs = nil
    #expect(count.ratio == nil && count.line.hasSuffix(" -"))
  }
}
