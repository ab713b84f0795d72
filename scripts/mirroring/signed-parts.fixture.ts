/** What a deployment shows, signed with the keys of its services: anchors, reports, updates of accounts and consent. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import { signerOf } from '@svc/protocol/chain/chain.fixture'
import { CONSENT_BUCKETS, consentBucketOf } from '@svc/protocol/consent/buckets'
import type { Preferences } from '@svc/protocol/consent/consent'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { entriesHash, type SnapshotEntry, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { mapLine } from '@svc/protocol/keys/account-map'
import { type AccountHead, EMPTY_HEAD, foldHead, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { DevicePackage } from '@svc/protocol/keys/directory'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { anchorEntry, anchorLeafOf, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { ANCHOR_SALT_BYTES, anchorIdOf, type SignedPublication } from '@svc/protocol/ledger/anchors'
import { dayOf, withheldLine } from '@svc/protocol/ledger/withheld'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logNameOf } from '@svc/protocol/merkle/log-name'
import { type FixtureLog, fixtureLog, ISSUED_AT, REALM } from '@svc/protocol/merkle/rolled-log.fixture'

export { REALM }
export const NOW = ISSUED_AT + 1_000
export const CORE = 'https://core.test'
export const KEYS = 'https://keys.test'
export const CONSENT = 'https://consent.test'

export const statePath = () => join(mkdtempSync(join(tmpdir(), 'svc-mirror-')), 'mirror.sqlite')

const [owner, anchorLogKey, snapshotKey, publisher, operator] = await Promise.all(
  [120, 121, 122, 123, 124].map(signerOf),
)
if (!owner || !anchorLogKey || !snapshotKey || !publisher || !operator) throw new Error('a signer is missing')
export const OWNER = `did:svc:${'B'.repeat(32)}`
export const snapshotKeyB64u = snapshotKey.ownerPublicKey
export const publisherKeyB64u = publisher.ownerPublicKey
export const operatorKeyB64u = operator.ownerPublicKey

const made = new Map<number, Promise<LoggedAnchor>>()

/** Signed once for all tests. */
export function anchorNo(number: number): Promise<LoggedAnchor> {
  const known = made.get(number) ?? madeAnchor(number)
  made.set(number, known)
  return known
}

async function madeAnchor(number: number): Promise<LoggedAnchor> {
  const root = hashTextHex(`root ${number}`)
  const issuedAt = ISSUED_AT - 1_000
  const attestation = {
    alg: 'ml-dsa-65',
    publicKeyB64u: owner!.ownerPublicKey,
    signatureB64u: encodeBase64url(
      await owner!.sign(submissionBytes({ owner: OWNER, root, epoch: 'e' }, REALM, issuedAt)),
    ),
    signedAt: new Date(issuedAt).toISOString(),
  } as const
  return {
    anchorId: anchorIdOf(OWNER, root, 'e'),
    root,
    epoch: 'e',
    hashAlg: 'sha3-384',
    createdAt: new Date(ISSUED_AT).toISOString(),
    owner: OWNER,
    attestations: [attestation],
    salt: encodeBase64url(new Uint8Array(ANCHOR_SALT_BYTES).fill(number)),
  }
}

/** A signed report about an anchor; `by` another key than the publisher's. */
export async function publicationNo(
  number: number,
  members: Partial<SignedPublication['statement']> = {},
  by = publisher!,
): Promise<SignedPublication> {
  const statement = {
    type: 'svc/anchor-publication/v2' as const,
    realm: REALM,
    leaf: anchorLeafOf(await anchorNo(number)),
    chain: 'example-ledger',
    tx: `0x${number}`,
    state: 'published' as const,
    nonce: `nonce-of-${String(number).padStart(8, '0')}`,
    issuedAt: ISSUED_AT + number,
    ...members,
  }
  return signStatement(statement, by.sign)
}
export const earlierPublisher = owner

/** The line of an act that withholds an anchor; `by` another key than the operator's. */
export async function withheldLineOf(anchor: LoggedAnchor, by = operator!): Promise<string> {
  const statement = {
    type: 'svc/withheld/v1' as const,
    realm: REALM,
    service: 'core' as const,
    nonce: `nonce-of-${anchor.anchorId}`,
    leaf: anchorLeafOf(anchor),
    ground: 'privacy' as const,
    day: dayOf(ISSUED_AT),
    issuedAt: ISSUED_AT,
  }
  return withheldLine(await signStatement(statement, by.sign))
}

export const ANCHOR_LOG = logNameOf(REALM, 'anchors', '2027a')
/** The log of anchors with these, after its opening. */
export const anchorLog = (anchors: readonly LoggedAnchor[], extra: readonly string[] = []): FixtureLog =>
  fixtureLog('anchors', ANCHOR_LOG, anchorLogKey, [openEntry(ANCHOR_LOG, null), ...anchors.map(anchorEntry), ...extra])

export const ACCOUNT = `did:svc:${'A'.repeat(32)}`
export const LABEL = labels.labelOf(ACCOUNT)
/** As much of a published package as its proof needs. */
export function publishedNo(seq: number): DevicePackage {
  const statement = { type: 'svc/device-credential/v1', did: ACCOUNT, version: seq }
  const leafId = leafIdOf(LABEL, statementHash(statement))
  return { credential: { statement }, leafId, seq } as unknown as DevicePackage
}
const updateNo = (seq: number) => ({
  label: LABEL,
  seq,
  statementHash: publishedNo(seq).leafId.slice(LABEL.length + 1),
})
export const lineNo = (seq: number) => updateLine(updateNo(seq))
/** The same update as a key agreement of a time. */
export const agreedNo = (seq: number, agreedAt: number) => updateLine({ ...updateNo(seq), agreedAt })
export const OTHER = { label: labels.labelOf(OWNER), seq: 1, statementHash: hashTextHex('other') }
export const MAP_AT = ISSUED_AT - 500

/** What the log knows of the account after so many updates. */
export const headAt = (seq: number): AccountHead =>
  foldHead(
    EMPTY_HEAD,
    Array.from({ length: seq }, (_, i) => updateNo(i + 1).statementHash),
  )

/** The entry of the map that has the other account, and so many updates of the account. */
export function mapNo(epoch: number, size: number, updates: number): string {
  const map = new AccountMap()
  map.count([OTHER, ...Array.from({ length: updates }, (_, i) => updateNo(i + 1))])
  return mapLine({ epoch, size, root: map.root, at: MAP_AT })
}

export const CONSENT_HASH = 'my-pictures/lighthouse'
export const BUCKET = consentBucketOf(CONSENT_HASH)
export const CREATOR = didOf(userIdOfKey(owner.ownerPublicKey))

export const DECLARED: Preferences = { ai_training: 'disallow' }

export async function snapshotPage(bucket: number, at: number, declared: Preferences | null): Promise<SnapshotPage> {
  const entries: SnapshotEntry[] =
    declared && bucket === BUCKET
      ? [
          {
            identifier_hash: identifierHash(CONSENT_HASH),
            creator_hash: creatorHash(CONSENT_HASH, CREATOR),
            preferences: declared,
          },
        ]
      : []
  const statement = {
    type: 'svc/consent-snapshot/v1' as const,
    realm: REALM,
    at,
    bucket,
    buckets: CONSENT_BUCKETS,
    from: null,
    to: null,
    count: entries.length,
    entriesHash: await entriesHash(entries),
    issuedAt: NOW,
  }
  const signed = await signStatement(statement, snapshotKey!.sign)
  return { ...signed, publicKeyB64u: snapshotKeyB64u, entries }
}
