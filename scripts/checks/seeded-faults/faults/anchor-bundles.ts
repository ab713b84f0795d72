import { defineFaults } from '../fault.ts'

/** Bundles of anchors, and what witnesses cosigned of their logs. */
export const ANCHOR_BUNDLE_FAULTS = defineFaults([
  {
    id: 'first-cosignature-replaced',
    promise: 'The first cosignature that covers an anchor is kept for good.',
    find: 'createObject(this.#bucket, key, JSON.stringify(cosignature))',
    replace: 'this.#bucket.put(key, JSON.stringify(cosignature))',
    tests: ['anchors/cosigned'],
  },
  {
    id: 'cosigned-before-anchor',
    promise: 'A cosigned state that does not cover an anchor says nothing of its time.',
    find: 'const leaf = entryHash(anchorEntry(anchor)) const isIncluded = verifyInclusion(',
    replace: 'const leaf = entryHash(anchorEntry(anchor))\n  const isIncluded = size > 0 || verifyInclusion(',
    tests: ['anchor-cosigned'],
  },
  {
    id: 'cosigned-by-anybody',
    promise: 'Only witnesses that the caller trusts tell when an anchor existed.',
    find: 'if (!publicKeysB64u.includes(key)) continue',
    replace: '',
    tests: ['anchor-cosigned'],
  },
  {
    id: 'cosigned-other-history',
    promise: 'What a bundle has cosigned is of the history that its checkpoint has.',
    find: "return isExtended ? ok(undefined) : err({ reason: 'inconsistent' })",
    replace: "return isExtended || cosigned.length > 0 ? ok(undefined) : err({ reason: 'inconsistent' })",
    tests: ['cosigned-bundle'],
  },
  {
    id: 'cosigned-later-as-first',
    promise: 'A later cosignature does not pass as the first one where the bundle shows that it is not.',
    find: "if (!areFirst(position.index, { first, cosigned })) return err({ reason: 'not_first' })",
    replace: '',
    tests: ['cosigned-bundle'],
  },
  {
    id: 'bundle-first-moved',
    promise: 'The first cosignature of a log that a bundle has is before all others in it.',
    find: 'if (!known || (smallest && smallest.statement.size < known.statement.size)) return smallest',
    replace: 'if (!known) return smallest',
    tests: ['first-cosigned'],
  },
  {
    id: 'bundle-first-between-reads',
    promise: 'A bundle verifies, also if a witness cosigns while it is made.',
    find: 'return known.statement.size <= index || isSeen ? known : smallest',
    replace: 'return known',
    tests: ['first-cosigned'],
  },
  {
    id: 'bundle-first-form-judged',
    promise: 'A bundle of the first form proves nothing before it is upgraded, and the verdict says so.',
    find: "if (isFormerBundle(bundle)) return verdictOf('anchor', null, [unchecked('former')], { needs: 'upgrade' })",
    replace: '',
    tests: ['known-keys'],
  },
  {
    id: 'anchor-time-of-log',
    promise: 'A verdict says whose word the time of an anchor is.',
    find: "return seen ? { at: seen.at, by: 'witnesses' }",
    replace: "return seen || bundle.cosigned.length > 0 ? { at: seen?.at ?? 0, by: 'witnesses' }",
    tests: ['known-keys'],
  },
  {
    id: 'upgrade-loses-cosignature',
    promise: 'An upgrade loses no cosignature that a bundle has.',
    find: 'if (!known || sizeOf(one) < sizeOf(known)) byWitness.set(publicKeyB64u, one)',
    replace: 'byWitness.set(publicKeyB64u, one)',
    tests: ['anchors/upgrade'],
  },
  {
    id: 'upgrade-other-history',
    promise: 'An upgrade takes nothing of a log that has another history than the bundle.',
    find: 'if (!verifyExtension(other.checkpoint, checkpoint, grown, checkpoint.publicKeyB64u))',
    replace: 'if (other.checkpoint.statement.log !== log)',
    tests: ['lies/lies'],
  },
  {
    id: 'upgrade-other-anchor',
    promise: 'An upgrade takes the entry that the bundle has, at its place.',
    find: 'return anchorEntry(old) === anchorEntry(fresh) && a?.log === b?.log && a?.index === b?.index',
    replace: 'return old.anchorId === fresh.anchorId && a?.log === b?.log',
    tests: ['lies/lies'],
  },
])
