/** What a resolver shows of an identity: now, in an earlier version, and at an earlier time. */
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { didDocumentOf, RESOLUTION_ERROR_BASE } from '@svc/protocol/did/did'
import { resolutionStatementOf } from '@svc/protocol/did/resolution-proof'
import type { Version } from '../../src/did/did.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { REALM } from '../realm.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { data, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const SIGNING = { realm: REALM, now: NOW }

/** The document of an identity with a key agreement: this one, or what it states. */
export async function documentOf(
  identity: Identity,
  stated: Parameters<Identity['keyAgreement']>[0] | SignedKeyAgreement = SIGNING,
) {
  const { did, scope, epoch, publicKeyB64u } = identity
  const key = { did, scope, epoch, publicKeyB64u, createdAt: NOW, updatedAt: NOW, deactivated: false }
  const keyAgreement = 'statement' in stated ? stated : await identity.keyAgreement(stated)
  return didDocumentOf({ ...key, keyAgreement }, [])
}

/** The document of Alice, who once stated another key agreement than she has. */
async function restate({ result, prove }: Resolution, changes: object) {
  result.didDocument = await documentOf(alice, { ...SIGNING, ...changes })
  await prove()
}

interface Metadata {
  versionId?: string
  nextVersionId?: string
}

/** The result of a resolver, whose key the client has. The proof names the query, such as `versionId=0`. */
export async function resolution(version: Version | null = null, didDocumentMetadata: Metadata = {}) {
  const [query = null] = Object.entries(version ?? {}).map((part) => part.join('='))
  const { heir, keys: both } = await heirOfAlice()
  const { keys: own, ...history } = keysOf(alice)
  const keys = version ? both : own
  const result = {
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument: (await documentOf(alice)) as Awaited<ReturnType<typeof documentOf>> | null,
    didResolutionMetadata: { retrieved: '2026-09-21T14:13:20Z' } as {
      retrieved: string
      proof?: unknown
      error?: { type: string; title: string; detail: string }
    },
    didDocumentMetadata,
  }
  const situation = {
    heir,
    result,
    /** The resolver signs what it shows, true or not. */
    prove: async (by = mallory, realm = REALM, asked = query) => {
      delete result.didResolutionMetadata.proof
      const about = { resolver: 'https://did.test', did: alice.did, version: asked }
      const made = await resolutionStatementOf(result as Parameters<typeof resolutionStatementOf>[0], about)
      result.didResolutionMetadata.proof = {
        type: 'SvcResolutionProof',
        verificationMethod: 'did:web:did.test#resolver-key',
        proofPurpose: 'assertionMethod',
        ...(await signedBy(by, { ...made, realm })),
      }
    },
    options: { resolverKey: mallory.publicKeyB64u },
    args: () => (version ? [alice.did, version] : [alice.did]),
    answers: () => ({
      [`/api/chain/root/${alice.did}/history`]: (page: URLSearchParams) =>
        data({ ...history, keys: keys.slice(Number(page.get('from'))) }),
      [`/1.0/identifiers/${encodeURIComponent(alice.did)}`]: result,
    }),
  }
  await situation.prove()
  return situation
}
type Resolution = Awaited<ReturnType<typeof resolution>>
const unsigned = (lie: string, tell: Lie<Resolution>['tell']): Lie<Resolution> => ({
  lie,
  tell,
  subject: 'resolution',
  reason: 'invalid_signature',
  where: { member: 'didResolutionMetadata.proof' },
})

/** What a resolver shows to a client that has seen the key agreement of Alice. */
const afterAgreement: readonly Lie<Resolution>[] = [
  {
    lie: 'shows an older key agreement than before',
    tell: (s) => restate(s, { now: NOW - 1 }),
    afterTruth: true,
    subject: 'agreement',
    reason: 'rollback',
    where: { position: NOW - 1 },
  },
  {
    lie: 'shows another key agreement of the same time than before',
    tell: (s) => restate(s, { sheets: [mallory] }),
    afterTruth: true,
    subject: 'agreement',
    reason: 'fork',
    where: { position: NOW },
  },
  {
    lie: 'leaves out the key agreement that it showed before',
    tell: async ({ result, prove }) => {
      const { keyAgreement: _, ...bare } = await documentOf(alice)
      result.didDocument = bare
      await prove()
    },
    afterTruth: true,
    subject: 'agreement',
    reason: 'rollback',
    where: { position: 0 },
  },
  {
    lie: 'says that an identity whose key agreement it showed before is not registered',
    tell: async ({ result, prove }) => {
      result.didDocument = null
      const type = `${RESOLUTION_ERROR_BASE}NOT_FOUND`
      result.didResolutionMetadata.error = { type, title: 'Not found', detail: 'The DID is not registered.' }
      await prove()
    },
    afterTruth: true,
    subject: 'agreement',
    reason: 'rollback',
    where: { position: 0 },
  },
]

/** What a resolver shows of an earlier version instead, signed. */
const falseVersions: readonly Lie<Resolution>[] = [
  unsigned('changes the result', ({ result }) => {
    result.didDocument = null
  }),
  unsigned('shows the result of a question without a version', ({ prove }) => prove(mallory, REALM, null)),
  {
    lie: 'shows the key of another version than it names',
    tell: async ({ heir, result, prove }) => {
      result.didDocument = await documentOf(heir)
      await prove()
    },
    subject: 'resolution',
    reason: 'wrong_key',
    where: { member: 'didDocument.verificationMethod' },
  },
  {
    lie: 'does not name the version',
    tell: async ({ result, prove }) => {
      delete result.didDocumentMetadata.versionId
      await prove()
    },
    subject: 'resolution',
    reason: 'different_answer',
    where: { member: 'didDocumentMetadata.versionId' },
  },
]

export const RESOLUTION = [
  verifying({
    name: 'client.did.resolve',
    honest: resolution,
    lies: [
      unsigned('changes the result', ({ result }) => {
        result.didDocument = null
      }),
      unsigned('shows a result signed by another key', ({ prove }) => prove(alice)),
      unsigned('shows a result for another deployment', ({ prove }) => prove(mallory, OTHER_REALM)),
      unsigned('leaves out the signature', ({ result }) => void delete result.didResolutionMetadata.proof),
      {
        lie: 'shows an old result',
        tell: async ({ result, prove }) => {
          result.didResolutionMetadata.retrieved = '2026-09-21T13:13:20Z'
          await prove()
        },
        subject: 'resolution',
        reason: 'expired',
        where: { member: 'didResolutionMetadata.retrieved' },
      },
      {
        lie: 'shows the document of another identity',
        tell: async ({ result, prove }) => {
          result.didDocument = await documentOf(mallory)
          await prove()
        },
        subject: 'resolution',
        reason: 'wrong_identity',
        where: { member: 'didDocument.id' },
      },
      {
        lie: 'puts the key of somebody else in the document',
        tell: async ({ result, prove }) => {
          const { verificationMethod } = await documentOf(mallory)
          result.didDocument = { ...result.didDocument!, verificationMethod }
          await prove()
        },
        subject: 'resolution',
        reason: 'wrong_key',
        where: { member: 'didDocument.verificationMethod' },
      },
      {
        lie: 'leaves the root key out of the document',
        tell: async ({ result, prove }) => {
          const methods = result.didDocument!.verificationMethod.filter(({ publicKeyJwk }) => !publicKeyJwk)
          result.didDocument = { ...result.didDocument!, verificationMethod: methods }
          await prove()
        },
        subject: 'resolution',
        reason: 'no_key',
        where: { member: 'didDocument.verificationMethod' },
      },
      {
        lie: 'adds a key of somebody else to the document',
        tell: async ({ result, prove }) => {
          const { verificationMethod } = await documentOf(mallory)
          const methods = [...result.didDocument!.verificationMethod, ...verificationMethod]
          result.didDocument = { ...result.didDocument!, verificationMethod: methods }
          await prove()
        },
        subject: 'resolution',
        reason: 'wrong_key',
        where: { member: 'didDocument.verificationMethod' },
      },
      {
        lie: 'refers to a key that is not in the document',
        tell: async ({ result, prove }) => {
          result.didDocument = { ...result.didDocument!, authentication: [`${alice.did}#other`] }
          await prove()
        },
        subject: 'resolution',
        reason: 'mismatch',
        where: { member: 'didDocument' },
      },
      {
        lie: 'puts a key-agreement key of somebody else in the document',
        tell: async ({ result, prove }) => {
          const { keyAgreement = [] } = await documentOf(mallory)
          result.didDocument = { ...result.didDocument!, keyAgreement }
          await prove()
        },
        subject: 'resolution',
        reason: 'invalid_signature',
        where: { member: 'didDocument.keyAgreement' },
      },
      ...afterAgreement,
    ],
  }),
  verifying({
    name: 'client.did.resolve',
    given: 'with `versionId`',
    honest: () => resolution({ versionId: '0' }, { versionId: '0', nextVersionId: '1' }),
    lies: [
      ...falseVersions,
      {
        lie: 'shows another version',
        tell: async ({ heir, result, prove }) => {
          result.didDocument = await documentOf(heir)
          result.didDocumentMetadata = { versionId: '1' }
          await prove()
        },
        subject: 'resolution',
        reason: 'different_answer',
        where: { member: 'didDocumentMetadata.versionId' },
      },
    ],
  }),
  verifying({
    name: 'client.did.resolve',
    given: 'with `versionTime`',
    honest: () => resolution({ versionTime: '2026-09-21T12:00:00Z' }, { versionId: '0', nextVersionId: '1' }),
    lies: falseVersions,
  }),
]
