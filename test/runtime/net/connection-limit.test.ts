// Places at an open port: bounded for each network, and never all taken by connections without business.

import assert from "node:assert/strict";
import test from "node:test";
import { ConnectionLimit, type Held } from "#runtime/net/connection-limit.ts";

const gone: string[] = [];
const connection = (network: string, name = network, proven = false): Held => ({
  network,
  proven,
  giveUp: () => gone.push(name),
});

test("a network has so many places, and gets them back", () => {
  const places = new ConnectionLimit({ maxConnections: 10, maxPerNetwork: 2 });
  const first = connection("a");
  assert.deepEqual(
    [first, connection("a"), connection("a"), connection("b")].map((each) => places.take(each)),
    [true, true, false, true],
  );
  places.leave(first);
  places.leave(first);
  assert.deepEqual(
    [connection("a"), connection("a")].map((each) => places.take(each)),
    [true, false],
  );
});

test("a newcomer gets the place of the oldest idler of the network that has the most", () => {
  gone.length = 0;
  const places = new ConnectionLimit({ maxConnections: 4, maxPerNetwork: 3 });
  const proven = connection("crowd", "proven", true);
  for (const each of [connection("b"), proven, connection("crowd", "old"), connection("crowd", "new")])
    assert.ok(places.take(each));
  assert.ok(places.take(connection("c")));
  assert.deepEqual(gone, ["old"]);
  assert.equal(places.take(connection("crowd", "newest")), true);
  assert.deepEqual(gone, ["old", "new"]);
});

test("a connection that is proven keeps its place", () => {
  gone.length = 0;
  const places = new ConnectionLimit({ maxConnections: 2, maxPerNetwork: 2 });
  for (const network of ["a", "b"]) assert.ok(places.take(connection(network, network, true)));
  assert.equal(places.take(connection("c")), false);
  assert.deepEqual(gone, []);
});
