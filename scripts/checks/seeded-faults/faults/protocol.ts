import { defineFaults } from '../fault.ts'

/** What is signed, hashed and verified: protocol and pqc. */
export const PROTOCOL_FAULTS = defineFaults([
  {
    id: 'jcs-order',
    about: 'Statements are signed in the member order of the sender',
    edits: [
      { find: 'const text = canonicalize(value)', replace: 'const text = JSON.stringify(value) as string | undefined' },
    ],
    projects: ['protocol'],
    tests: ['jcs'],
  },
  {
    id: 'base64url-last-bits',
    about: 'Base64url with non-zero trailing bits is accepted',
    edits: [{ find: "return 'AQgw'.includes(last)", replace: 'return true' }],
    projects: ['protocol'],
    tests: ['base64url'],
  },
  {
    id: 'base64url-space',
    about: 'Base64url with padding or white space is accepted',
    edits: [
      {
        find: 'if (bytes.length === bytesIn(text)) return bytes',
        replace: 'if (bytes.length <= bytesIn(text)) return bytes',
      },
    ],
    projects: ['protocol'],
    tests: ['base64url'],
  },
  {
    id: 'merkle-leaf-as-node',
    about: 'Leaves and nodes of a tree hash alike',
    edits: [
      {
        find: '(data: Uint8Array) => hash(prefixed(0, data))',
        replace: '(data: Uint8Array) => hash(prefixed(1, data))',
      },
    ],
    projects: ['protocol'],
    tests: ['merkle'],
  },
  {
    id: 'merkle-short-path',
    about: 'A truncated audit path proves inclusion',
    edits: [{ find: 'return sn === 0 && equal(r, root)', replace: 'return equal(r, root)' }],
    projects: ['protocol', 'protocol-node'],
    tests: ['merkle'],
  },
  {
    id: 'merkle-fork',
    about: 'A rewritten log passes the consistency check',
    edits: [
      {
        find: 'return sn === 0 && equal(fr, firstRoot) && equal(sr, secondRoot)',
        replace: 'return sn === 0 && equal(sr, secondRoot)',
      },
    ],
    projects: ['protocol', 'protocol-node'],
    tests: ['merkle'],
  },
  {
    id: 'verifier-signature',
    about: 'The chain verifier skips signatures',
    edits: [
      {
        find: "if (!(await verifyBlockSignature(block))) return err({ reason: 'invalid_signature', index })",
        replace: '',
      },
    ],
    projects: ['protocol', 'client-node'],
    tests: ['chain'],
  },
  {
    id: 'verifier-old-key',
    about: 'The chain verifier accepts blocks by a superseded key after the rotation',
    edits: [
      {
        find: 'if (epoch < this.#epoch || (block.version === 4 && block.epoch !== epoch))',
        replace: 'if (block.version === 4 && block.epoch !== epoch)',
      },
    ],
    projects: ['protocol', 'client-node'],
    tests: ['chain'],
  },
  {
    id: 'verifier-genesis-scope',
    about: 'A genesis block can claim the scope of another key',
    edits: [
      {
        find: "if (block.scope !== userIdOfKey(block.ownerPublicKey)) return 'scope must be the userId of ownerPublicKey'",
        replace: '',
      },
    ],
    projects: ['protocol', 'client-node'],
    tests: ['chain', 'genesis'],
  },
  {
    id: 'statement-realm',
    about: 'A statement for another deployment verifies',
    edits: [{ find: 'if (!expectedRealms.includes(statement.realm)) return false', replace: '' }],
    projects: ['protocol'],
    tests: ['base/statement.test'],
  },
  {
    id: 'inception-signature',
    about: 'A device is attested without its own signature',
    edits: [
      {
        find: 'return verifyStatement(event.acceptance, bytesOf(event.acceptance.statement.devicePublicKeyB64u), expectedRealms)',
        replace: 'return event.acceptance.statement.devicePublicKeyB64u.length > 0',
      },
    ],
    projects: ['protocol', 'core*'],
    tests: ['inception-verifier', 'inception'],
  },
  {
    id: 'binding-acceptance-again',
    about: 'An earlier acceptance can bind a removed member again',
    edits: [{ find: 'accepted.issuedAt > (member?.acceptedAt ?? -1))', replace: 'accepted.issuedAt >= 0)' }],
    projects: ['protocol', 'did'],
    tests: ['org-bindings', 'members'],
  },
  {
    id: 'projection-tdm',
    about: 'TDM is reserved where training is allowed',
    edits: [
      {
        find: "tdm_reservation: training === 'disallow' ? 1 : null",
        replace: 'tdm_reservation: training === undefined ? null : 1',
      },
    ],
    projects: ['protocol', 'consent'],
    tests: ['consent-projection', 'projection'],
  },
  {
    id: 'proof-other-file',
    about: 'A proof bundle verifies against another file',
    edits: [{ find: 'assetIdOf(file) === capsule.assetId)', replace: 'file.length > 0)' }],
    projects: ['protocol', 'provenance'],
    tests: ['test/proof/proof.test'],
  },
  {
    id: 'pqc-signature-length',
    about: 'Signatures of any length reach the verifier',
    edits: [{ find: 'hasBytes(signature, ML_DSA_65.signatureBytes)', replace: 'hasBytes(signature)' }],
    projects: ['pqc', 'pqc-node'],
    tests: ['ml-dsa'],
  },
  {
    id: 'pqc-kem-modulus',
    about: 'KEM keys with unreduced coefficients are accepted',
    edits: [
      {
        find: 'if ((low | ((middle & 0x0f) << 8)) >= ML_KEM_Q || ((middle >> 4) | (high << 4)) >= ML_KEM_Q) {',
        replace: 'if ((low | ((middle & 0x0f) << 8)) > 0xfff) {',
      },
    ],
    projects: ['pqc', 'pqc-node'],
    tests: ['ml-kem'],
  },
])
