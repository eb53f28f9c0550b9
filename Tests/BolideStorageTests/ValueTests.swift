import BolideStorage
import Foundation
import Testing

@Suite struct ValueTests {
  @Test func `texts are equal as Unicode says, URIs byte by byte`() {
    #expect(Value.string("\u{e9}") == .string("e\u{301}"))
    #expect(Value.uri("x:\u{e9}") != .uri("x:e\u{301}"))
    #expect(Value.uri("x:\u{e9}") == .uri("x:\u{e9}"))
    #expect(Set([Value.uri("x:\u{e9}"), .uri("x:e\u{301}"), .uri("x:\u{e9}")]).count == 2)
  }

  @Test func `values of different kinds are never equal`() {
    let values: [Value] = [
      .null, .bool(true), .int(1), .double(1), .float(1), .decimal(1),
      .date(.init(timeIntervalSinceReferenceDate: 1)),
      .string("1"), .uuid(.init(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), .uri("1"),
      .binary([1]), .reference(1),
    ]
    for (index, left) in values.enumerated() {
      for (other, right) in values.enumerated() { #expect((left == right) == (index == other)) }
    }
    #expect(values.count { $0.isNull } == 1)
  }
}
