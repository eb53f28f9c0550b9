import BolideStorage

/// Writing links into both trees of a link table.
extension MemoryTransaction {
  func addLinks(_ id: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    let trees = try contents.shape.link(id)
    for link in links {
      guard link.from > 0, link.to > 0 else {
        throw BolideError(.storeMisuse, "linking \(link.from) and \(link.to)")
      }
      let hasOrder = link.order != 0 || link.inverseOrder != 0
      if hasOrder { contents.hasOrders[id] = true }
      let isNew = insert(
        PairKey(own: link.from, other: link.to), hasOrder ? (link.order, link.inverseOrder) : nil,
        into: trees.forward)
      added.append(isNew)
      guard isNew else { continue }
      _ = insert(
        PairKey(own: link.to, other: link.from), hasOrder ? (link.inverseOrder, link.order) : nil,
        into: trees.inverse)
    }
  }

  func removeLinks(_ id: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    let trees = try contents.shape.link(id)
    for link in links {
      let wasThere = PairKey(own: link.from, other: link.to).withKey {
        editor.remove($0, from: &contents.trees[trees.forward])
      }
      removed.append(wasThere)
      guard wasThere else { continue }
      PairKey(own: link.to, other: link.from).withKey {
        _ = editor.remove($0, from: &contents.trees[trees.inverse])
      }
    }
  }

  private func insert(_ pair: PairKey, _ orders: (Int64, Int64)?, into tree: Int) -> Bool {
    pair.withKey { key in
      let insertion =
        orders.map { orders in
          withUnsafeBytes(of: orders) { editor.insert(key, $0, into: &contents.trees[tree]) }
        } ?? editor.insert(key, UnsafeRawBufferPointer(start: nil, count: 0), into: &contents.trees[tree])
      if case .inserted = insertion { return true }
      return false
    }
  }
}
