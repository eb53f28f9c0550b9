import Bolide
import Testing

/// To-many members are sorted out when they are first asked for; what a look shows is what was there when it was taken.
@Suite struct MemberLookTests {
  @Test func `a look at members stays as it is, whenever it is first read`() throws {
    let context = try Chat.container().newContext()
    let author = Author(context: context)
    let messages = (0..<3).map { _ in Message(context: context) }
    let empty = author.messages
    author.messages.insert(messages[0])
    let one = author.messages
    author.messages.insert(messages[1])
    author.messages.remove(messages[0])
    let other = author.messages
    author.messages.insert(messages[0])
    author.messages.insert(messages[0])
    #expect(empty.isEmpty)
    #expect(one.map(\.objectID) == [messages[0].objectID])
    #expect(other.map(\.objectID) == [messages[1].objectID])
    #expect(Set(author.messages.map(\.objectID)) == [messages[0].objectID, messages[1].objectID])
    #expect(messages[0].author === author && messages[2].author == nil)
  }

  @Test func `looks of saved members survive edits, deletes and rollbacks`() throws {
    let context = try Chat.container().newContext()
    let author = Author(context: context)
    let messages = (0..<3).map { _ in Message(context: context) }
    for message in messages { author.messages.insert(message) }
    try context.save()
    let saved = author.messages
    author.messages.remove(messages[1])
    let edited = author.messages
    context.delete(messages[2])
    #expect(author.messages.map(\.objectID) == [messages[0].objectID])
    #expect(edited.map(\.objectID) == [messages[0].objectID, messages[2].objectID])
    context.rollback()
    #expect(saved.map(\.objectID) == messages.map(\.objectID))
    #expect(author.messages.map(\.objectID) == messages.map(\.objectID))
  }

  @Test func `removing counts each member once, and none that is deleted`() throws {
    let context = try Chat.container().newContext()
    let author = Author(context: context)
    let messages = (0..<3).map { _ in Message(context: context) }
    #expect(try author.addObjects(messages + messages, for: "messages") == 3)
    try context.save()
    context.delete(messages[0])
    #expect(try author.removeObjects([messages[0], messages[1], messages[1]], for: "messages") == 1)
    #expect(author.messages.map(\.objectID) == [messages[2].objectID])
  }
}
