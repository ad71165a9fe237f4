// Room for bodies: what is taken is given back, large bodies leave room for small ones, and strangers for others.

import assert from "node:assert/strict";
import test from "node:test";
import { BodyBudget, BodyShare } from "#http/body/budget.ts";

const kib = 1024;
const maxBytes = 1024 * kib;

function shares(count: number) {
  const budget = new BodyBudget(maxBytes);
  return { budget, all: Array.from({ length: count }, () => new BodyShare(budget)) };
}
const holder = (share: BodyShare) => {
  share.markAuthenticated();
  return share;
};

test("bodies of holders of keys share the budget, and give back all that they took", () => {
  const { budget, all } = shares(3);
  const [one, other, third] = all.map(holder) as [BodyShare, BodyShare, BodyShare];
  assert.equal(one.grow(500 * kib), true);
  assert.equal(other.grow(524 * kib), true);
  assert.equal(third.grow(100 * kib), false);
  assert.equal(budget.held, maxBytes);
  one.release();
  assert.equal(budget.held, 524 * kib);
  assert.equal(third.grow(100 * kib), true);
  for (const share of [one, other, third]) share.release();
  assert.equal(budget.held, 0);
});

test("small bodies have half of the budget beyond it, piece by piece too", () => {
  const { budget, all } = shares(20);
  const [large, ...small] = all.map(holder);
  assert.equal(large?.grow(maxBytes), true);
  const letIn = small.filter((share) => share.grow(32 * kib) && share.grow(32 * kib));
  assert.equal(letIn.length, 8);
  assert.equal(budget.held, maxBytes + 512 * kib);
  // What grows beyond a small one needs room like any other.
  large?.release();
  assert.equal(letIn[0]?.grow(700 * kib), false);
  assert.equal(letIn[0]?.grow(100 * kib), true);
});

test("strangers have a quarter, and keep out no holder of a key", () => {
  const { budget, all } = shares(4);
  const [one, other, known, small] = all as [BodyShare, BodyShare, BodyShare, BodyShare];
  assert.equal(one.grow(200 * kib), true);
  assert.equal(other.grow(100 * kib), false);
  assert.equal(small.grow(kib), true);
  assert.equal(holder(known).grow(700 * kib), true);
  // Once its key is right it is a stranger's no more.
  one.markAuthenticated();
  one.markAuthenticated();
  assert.equal(other.grow(100 * kib), true);
  for (const share of all) share.release();
  assert.equal(budget.held, 0);
  const [later] = [new BodyShare(budget)];
  assert.equal(later.grow(256 * kib), true);
});

test("a body that is alone has room, however large it is", () => {
  const { all } = shares(2);
  const [one, other] = all.map(holder) as [BodyShare, BodyShare];
  assert.equal(one.grow(maxBytes), true);
  assert.equal(one.grow(maxBytes), true);
  assert.equal(other.grow(100 * kib), false);
  one.release();
  assert.equal(other.grow(2 * maxBytes), true);
});
