/** A deployment in memory that a mirror can follow, and that can lie. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pin } from '@svc/client'
import { pinSchema } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { bucketOf } from '@svc/protocol/base/buckets'
import { hashTextHex } from '@svc/protocol/base/hash'
import { didOf, userIdOfKey } from '@svc/protocol/base/identity'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import { signerOf } from '@svc/protocol/chain/chain.fixture'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { type ConsentRecord, consentSignedBytes, missOf, type Preferences } from '@svc/protocol/consent/consent'
import { projectionsOf } from '@svc/protocol/consent/projection'
import { entriesHash, newestSnapshotTime, type SnapshotEntry, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { mapLine } from '@svc/protocol/keys/account-map'
import {
  type AccountHead,
  accountLabel,
  EMPTY_HEAD,
  foldHead,
  leafIdOf,
  updateLine,
} from '@svc/protocol/keys/account-updates'
import type { DevicePackage } from '@svc/protocol/keys/directory'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { anchorEntry, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import type { PublicationsPage } from '@svc/protocol/ledger/anchor-publications'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { anchorIdOf, type SignedPublication } from '@svc/protocol/ledger/anchors'
import { openEntry } from '@svc/protocol/merkle/entries'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import { logNameOf } from '@svc/protocol/merkle/log-name'
import {
  type FixtureLog,
  fixtureLog,
  ISSUED_AT,
  keysOf,
  listSigners,
  openedEntry,
  REALM,
  rolledLog,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { keepPin } from './mirror.ts'
import type { MirrorStore } from './mirror-store.ts'

export { REALM }
export const NOW = ISSUED_AT + 1_000
export const CORE = 'https://core.test'
export const KEYS = 'https://keys.test'
export const CONSENT = 'https://consent.test'

export const statePath = () => join(mkdtempSync(join(tmpdir(), 'svc-mirror-')), 'mirror.sqlite')

const [owner, anchorLogKey, snapshotKey, publisher] = await Promise.all([120, 121, 122, 123].map(signerOf))
if (!owner || !anchorLogKey || !snapshotKey || !publisher) throw new Error('a signer is missing')
export const OWNER = `did:svc:${'B'.repeat(32)}`
export const snapshotKeyB64u = snapshotKey.ownerPublicKey
export const publisherKeyB64u = publisher.ownerPublicKey

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
  }
}

/** A signed report about an anchor; `by` another key than the publisher's. */
export async function publicationNo(
  number: number,
  members: Partial<SignedPublication['statement']> = {},
  by = publisher!,
): Promise<SignedPublication> {
  const { anchorId } = await anchorNo(number)
  const statement = {
    type: 'svc/anchor-publication/v1' as const,
    realm: REALM,
    anchorId,
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

export const ANCHOR_LOG = logNameOf(REALM, 'anchors', '2027a')
/** The log of anchors with these, after its opening. */
export const anchorLog = (anchors: readonly LoggedAnchor[], extra: readonly string[] = []): FixtureLog =>
  fixtureLog('anchors', ANCHOR_LOG, anchorLogKey, [openEntry(ANCHOR_LOG, null), ...anchors.map(anchorEntry), ...extra])

export const ACCOUNT = `did:svc:${'A'.repeat(32)}`
const LABEL = accountLabel(REALM, ACCOUNT)
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
const OTHER = { label: accountLabel(REALM, OWNER), seq: 1, statementHash: hashTextHex('other') }
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
export const BUCKET = bucketOf(CONSENT_HASH)
export const CREATOR = didOf(userIdOfKey(owner.ownerPublicKey))

/** A record that the creator has signed. */
export async function declaredAs(preferences: Preferences, version = 1): Promise<ConsentRecord> {
  const message = { content_hash: CONSENT_HASH, preferences, creator_did: CREATOR }
  return {
    found: true,
    hash: CONSENT_HASH,
    source: 'declared',
    content_hash: CONSENT_HASH,
    creator_did: CREATOR,
    public_key_b64u: owner!.ownerPublicKey,
    preferences,
    version,
    created_at: ISSUED_AT,
    updated_at: ISSUED_AT + version,
    signed: {
      action: version === 1 ? 'create' : 'update',
      preferences,
      signature_b64u: encodeBase64url(await owner!.sign(consentSignedBytes(message))),
      signer: { kind: 'root', epoch: 0 },
    },
    projections: projectionsOf(preferences),
  }
}

export const DECLARED = await declaredAs({ ai_training: 'disallow' })

async function snapshotPage(bucket: number, at: number, declared: ConsentRecord | null): Promise<SnapshotPage> {
  const entries: SnapshotEntry[] =
    declared && bucket === BUCKET
      ? [{ hash: CONSENT_HASH, creator_did: declared.creator_did, preferences: declared.preferences }]
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

/** One list for all deployments: its final checkpoint would be signed anew, and be another list. */
const rolled = await rolledLog('transparency', [
  // The second update has no map before the next log.
  [lineNo(1), updateLine(OTHER), mapNo(1, 3, 1), lineNo(2)],
  [lineNo(3), mapNo(2, 2, 3)],
])
/** The open log of the directory, with more entries. */
export const openDirectory = (extra: readonly string[]): FixtureLog =>
  fixtureLog('transparency', rolled.second.log, rolled.second.key, [...rolled.second.lines, ...extra])
const list = await signedList({ logs: [openedEntry('anchors', anchorLog([]), null), ...rolled.list.statement.logs] })

/** What the services show, which a test can change. Core's discovery document is not served: the mirror knows it. */
export class FakeDeployment {
  anchors: LoggedAnchor[]
  anchorLog: FixtureLog
  /** Closed and open log of the directory. */
  directory: readonly FixtureLog[]
  list: SignedLogList
  earlier: SignedLogList[] = []
  /** Number of leaves that the anchor log shows; all by default. */
  size: number | undefined
  issuedAt = ISSUED_AT
  /** The record of consent as the snapshot has it, and as it is now. */
  snapshotted: ConsentRecord | null = DECLARED
  declared: ConsentRecord | null = DECLARED
  /** Reports of the publisher, two in a page. */
  publications: SignedPublication[] = []
  isDown = false
  readonly asked: string[] = []

  private constructor(parts: Pick<FakeDeployment, 'anchors' | 'directory' | 'list'>) {
    this.anchors = parts.anchors
    this.anchorLog = anchorLog(parts.anchors)
    this.directory = parts.directory
    this.list = parts.list
  }

  static async create(count = 3): Promise<FakeDeployment> {
    const anchors = await Promise.all(Array.from({ length: count }, (_, i) => anchorNo(i)))
    return new FakeDeployment({ anchors, directory: [rolled.first, rolled.second], list })
  }

  async add(count: number): Promise<void> {
    const from = this.anchors.length
    const added = await Promise.all(Array.from({ length: count }, (_, i) => anchorNo(from + i)))
    this.anchors = [...this.anchors, ...added]
    this.anchorLog = anchorLog(this.anchors)
    this.issuedAt += 1
  }

  readonly fetch = async (address: string): Promise<Response> => {
    const url = new URL(address)
    this.asked.push(url.pathname)
    if (this.isDown) throw new TypeError('fetch failed')
    const answer = await this.#answer(url)
    const miss = url.pathname.startsWith('/api/v1/consent/') ? missOf(CONSENT_HASH) : {}
    return answer === null
      ? Response.json({ success: false, error: 'not_found', ...miss }, { status: 404 })
      : Response.json(answer)
  }

  async #answer({ pathname, searchParams }: URL): Promise<unknown> {
    const data = (value: unknown) => value && { success: true, data: value, timestamp: NOW }
    if (pathname === '/api/logs' || pathname === '/api/transparency/logs')
      return data({ list: this.list, earlier: searchParams.has('since') ? this.earlier : [] })
    if (pathname === '/api/v1/consent/snapshot')
      return snapshotPage(
        Number(searchParams.get('bucket')),
        Number(searchParams.get('at') ?? newestSnapshotTime(NOW)),
        this.snapshotted,
      )
    if (pathname === `/api/v1/consent/${encodeURIComponent(CONSENT_HASH)}`) return this.declared
    if (pathname === '/api/anchors/feed/publications') return this.#publications(searchParams.get('after'))
    const [, series = '', what = '', id = ''] =
      /^\/api\/(anchors|transparency)\/(?:feed\/)?([a-z]+)(?:\/(\d+))?$/.exec(pathname) ?? []
    if (series === 'anchors') return this.#anchors(what, Number(id))
    return data(await this.#updates(what, Number(id), searchParams.get('log')))
  }

  async #anchors(what: string, number: number): Promise<unknown> {
    const { log, lines, checkpoint } = this.anchorLog
    const size = this.size ?? lines.length
    if (what === 'checkpoint') return checkpoint(size, { issuedAt: this.issuedAt })
    if (what === 'entries') return bundleOf(log, lines.slice(0, size), number)
    if (what !== 'bodies') return null
    const to = Math.min(number + 64, (Math.floor(number / 256) + 1) * 256, size)
    const bodies = this.anchors
      .map(({ anchorId, owner: did, attestations }, i) => ({ index: i + 1, anchorId, owner: did, attestations }))
      .filter(({ index }) => index >= number && index < to)
    return { log, from: number, to, bodies, isFull: to < size }
  }

  #publications(after: string | null): PublicationsPage {
    const from = Number(after?.slice(1) ?? 0)
    const publications = this.publications.slice(from, from + 2)
    const next = publications.length > 0 ? `c${from + publications.length}` : after
    return { publications, next, isFull: publications.length === 2 }
  }

  async #updates(what: string, bundle: number, name: string | null): Promise<unknown> {
    const found = this.directory.find(({ log }) => log === name)
    if (!found) return null
    if (what === 'checkpoint')
      return { checkpoint: await found.checkpoint(found.lines.length, { issuedAt: this.issuedAt }), cosignatures: [] }
    return what === 'entries' ? bundleOf(found.log, found.lines, bundle) : null
  }
}

function bundleOf(log: string, lines: readonly string[], bundle: number): unknown {
  const from = bundle * 256
  if (from >= lines.length) return null
  return { log, from, entries: lines.slice(from, from + 256), size: lines.length }
}

const service = (name: string) => ({ url: `https://${name}.test`, audiences: [], openapi: `https://${name}.test/o` })

/** What a client, or the mirror, keeps of core's discovery document. */
export function pinned(): Pin {
  const key = { service: 'consent', use: 'snapshot', publicKeyB64u: snapshotKeyB64u, validFrom: 0, validUntil: null }
  const names = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']
  const logListKeys = keysOf(listSigners)
  const amounts = ['bodyBytes', 'pageItems', 'batchItems', 'keptItems', 'keptBytes', 'assertionMs']
  return pinSchema.parse({
    realm: REALM,
    keys: [key],
    logListKeys,
    seenAt: NOW,
    document: {
      version: 1,
      issuedAt: NOW,
      realm: REALM,
      realms: [REALM],
      services: Object.fromEntries(names.map((name) => [name, service(name)])),
      keys: [{ ...key, alg: 'ml-dsa-65', state: 'current' }],
      logs: { listUrl: null, keys: logListKeys },
      anchors: { publisherKeyB64u },
      capabilities: {
        chainProfiles: [4],
        assertionVersions: [1],
        rotationVersions: [1],
        rotationWindowMs: 86_400_000,
        pinning: false,
        url: `${CORE}/api/capabilities`,
      },
      limits: {
        ...Object.fromEntries(amounts.map((name) => [name, {}])),
        requestsPerMinute: {},
        unitsPerMonth: {},
        keptByTier: {},
      },
    },
  })
}

/** What the mirror would have found in the discovery document. */
export function pin(store: MirrorStore): void {
  keepPin(store, pinned())
}
