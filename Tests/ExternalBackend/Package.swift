// swift-tools-version: 6.2
import PackageDescription

// A third party's package: it sees what Bolide publishes, and nothing else.
let package = Package(
  name: "acme-store",
  platforms: [.macOS(.v15)],
  products: [.library(name: "AcmeStore", targets: ["AcmeStore"])],
  dependencies: [.package(name: "bolide", path: "../..")],
  targets: [
    .target(
      name: "AcmeStore", dependencies: [.product(name: "BolideStorage", package: "bolide")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "AcmeStoreTests",
      dependencies: ["AcmeStore", .product(name: "BolideConformance", package: "bolide")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
