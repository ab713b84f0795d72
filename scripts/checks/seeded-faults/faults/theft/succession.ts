import { defineFaults } from '../../fault.ts'

/** What a thief gains who has the root key of an identity that has named its successors. */
export const SUCCESSION_FAULTS = defineFaults([
  {
    id: 'successor-not-committed',
    promise: 'Nobody makes a key the root key that the identity has not committed to.',
    find: "if (isCommitted(commitment, newPublicKeyB64u)) return isSignedByRoot ? 'full' : 'successor'",
    replace: "if (commitment.next.length > 0) return isSignedByRoot ? 'full' : 'successor'",
    tests: ['test/rotation/committed/following.test'],
  },
  {
    id: 'commitment-hidden',
    promise: 'A service cannot hide which keys a genesis block names.',
    find: "return commitment !== null && isCommitmentOf(block, commitment) ? ok(commitment) : err('commitment_withheld')",
    replace: 'return ok(commitment ?? NO_COMMITMENT)',
    tests: ['keys/key-history.test'],
  },
  {
    id: 'genesis-exchanged',
    promise: 'A second genesis block of a stolen key does not take the place of the first.',
    find: 'await this.#refuseOtherGenesis(did, evidence)',
    replace: '',
    tests: ['src/chain/key-history.test'],
  },
  {
    id: 'words-alone-win',
    promise: 'Who finds the words of an identity waits 30 days for it.',
    find: "(basis === 'root' || basis === 'full' ? times.windowMs : times.standingMs)",
    replace: 'times.windowMs',
    tests: ['test/rotation/committed/following.test'],
  },
  {
    id: 'full-request-vetoed',
    promise: 'A thief with root key and devices stops no request of root key and successor.',
    find: "return by === 'successor' && isOpen && request.contestedAt === null",
    replace: 'return isOpen && request.contestedAt === null',
    tests: ['test/rotation/committed/following.test'],
  },
  {
    id: 'dispute-forgotten',
    promise: 'Two owners with the same factors decide nothing without another factor.',
    find: "if (mine >= 3 && mine <= disputed) return err({ reason: 'rotation_disputed' })",
    replace: '',
    tests: ['test/rotation/committed/following.test'],
  },
  {
    id: 'ended-by-the-root-key',
    promise: 'A thief with the root key does not end an identity that has named its successors.',
    find: 'if (identity.commitment.next.length > 0) return this.#endBySuccessor(identity, signed, times, now)',
    replace: '',
    tests: ['test/identity/committed-end.test'],
  },
  {
    id: 'full-requests-counted',
    promise: 'Requests of a thief do not use up those of the owner.',
    find: "const isCounted = basis === 'replacement' || (strengthOf({ basis, version, cosigners }) < 3 && !isCosigned)",
    replace: "const isCounted = basis === 'replacement' || !isCosigned",
    tests: ['test/rotation/committed/following.test'],
  },
  {
    id: 'unlogged-activation-believed',
    promise: 'A rotation that never took effect does not become one because core claims it.',
    find: 'if (!updates || updates.includes(rotationId)) return',
    replace: 'if (updates !== undefined) return',
    tests: ['src/chain/activations.test'],
  },
  {
    id: 'claim-called-proved',
    promise: 'Only the log of the key directory proves that a rotation took effect.',
    find: "return rotated && this.#activations ? this.#activations.of(did, rotated) : 'claimed'",
    replace: "return rotated && this.#activations ? this.#activations.of(did, rotated) : 'proved'",
    tests: ['src/chain/activations.test'],
  },
  {
    id: 'ended-rotation-shown',
    promise: 'No key history shows the key of a rotation that was vetoed.',
    find: 'refuseEnded(page)',
    replace: '',
    tests: ['test/lies/lies.test'],
  },
  {
    id: 'successor-hash-changed',
    promise: 'An implementation of the pages names the same keys as successors.',
    find: 'return hashHex(concatBytes([label, bytesOf(publicKeyB64u)]))',
    replace: 'return hashHex(bytesOf(publicKeyB64u))',
    tests: ['test/vectors/package.test'],
  },
])
