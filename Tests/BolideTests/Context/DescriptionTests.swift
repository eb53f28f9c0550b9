import Bolide
import BolideStorage
import Testing

/// Looking at objects in a debugger reads nothing (rule M-4).
@Suite struct DescriptionTests {
  @Test func `descriptions never fire a fault`() throws {
    let container = try Chat.container()
    let writer = container.newContext(author: "writer")
    let author = Author(context: writer)
    for text in ["a", "b"] {
      let message = Message(context: writer)
      message.text = text
      message.author = author
    }
    try writer.save()
    let faults = CounterOfFaults()
    let view = container.newContext(author: "view")
    view.faultHandler = { _, _ in faults.count += 1 }
    let fault = view.object(with: author.objectID)
    let missing = view.object(
      with: try #require(ManagedObjectID(uri: author.objectID.uri.dropLast() + "99")))
    for object in [fault, missing] {
      _ = ["\(object)", String(reflecting: object), object.debugDescription]
      #expect(object.isFault && !object.isInaccessible)
    }
    #expect(fault.debugDescription == "Author#1 (fault)")
    #expect(faults.count == 0)
    let typed = try #require(fault as? Author)
    #expect("\(typed.messages)" == "[Message#1, Message#2]")
    #expect(view.registeredObjects == [fault, missing].sorted { $0.objectID < $1.objectID })
  }

  @Test func `a debug description tells the values that are held, and whom references name`() throws {
    let container = try Chat.container()
    let context = container.newContext(author: "user")
    let author = Author(context: context)
    let message = Message(context: context)
    message.text = "hello"
    message.author = author
    #expect(message.debugDescription.hasPrefix("Message#new2  "))
    #expect(message.debugDescription.contains("text \"hello\""))
    #expect(message.debugDescription.contains("author Author#new1"))
    try context.save()
    #expect(message.debugDescription.contains("author Author#1"))
    context.refresh(message, mergeChanges: false)
    message.text = "edited"
    #expect(message.debugDescription.contains("text \"edited\""))
    context.delete(message)
    #expect(message.debugDescription.contains("(deleted)"))
  }
}

private final class CounterOfFaults {
  var count = 0
}
