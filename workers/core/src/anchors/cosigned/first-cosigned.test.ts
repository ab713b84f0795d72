import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { expect, it } from 'vitest'
import { firstCosigned } from './first-cosigned.ts'

/** A cosignature by `witness` of a log of this size. */
const by = (witness: string, size: number) => ({ publicKeyB64u: witness, statement: { size } }) as SignedCosignature
const INDEX = 5

it.each<[string, SignedCosignature | null, SignedCosignature[], SignedCosignature | null]>([
  ['none, if nobody has cosigned the log', null, [], null],
  ['one from before the anchor', by('a', 3), [], by('a', 3)],
  ['one from before the anchor, at its index', by('a', INDEX), [by('a', 9)], by('a', INDEX)],
  ['one that covers the anchor, if both reads have it', by('a', 6), [by('a', 6), by('b', 7)], by('a', 6)],
  ['the one of the second read, if it was cosigned after the first', null, [by('a', 6)], by('a', 6)],
  ['the smaller one of the second read', by('a', 8), [by('b', 6), by('a', 8)], by('b', 6)],
  ['none that covers the anchor and that the second read lacks', by('a', 6), [], null],
  ['the one that the second read has instead', by('a', 6), [by('b', 7)], by('b', 7)],
  ['none of another witness of the same size', by('a', 6), [by('b', 6)], by('b', 6)],
])('is %s', (_, known, seen, first) => {
  expect(
    firstCosigned(
      known,
      seen.map((cosignature) => ({ cosignature })),
      INDEX,
    ),
  ).toEqual(first)
})
