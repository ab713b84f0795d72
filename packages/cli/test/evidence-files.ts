/**
 * Evidence as the services and the SDK make it. What services make is made by Node.js alone: what svc verifies must not
 * be made by what verifies it.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { Client, type Identity } from '@svc/client'
import { REALM } from './files.ts'

const NOW = 1_790_000_000_000
const LOG = `${REALM}/anchors/2026a`
export const COSIGNED_AT = NOW + 60_000

const sha3 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const hashOf = (value: object) => sha3(jcs(value)).toString('hex')

/** RFC 8785 for the values that occur here. */
function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`
}

/** What svc commitment make writes for this content. */
export function openingOf(did: string, content: Uint8Array) {
  const salt = new Uint8Array(32).fill(7)
  const commitment = sha3('svc/commitment/v1\0', salt, sha3(content)).toString('hex')
  const id = `commitment-${sha3(`svc/commitment-id/v1\0${did}\0${commitment}`).toString('hex').slice(0, 32)}`
  return { format: 'svc/commitment-opening/v1', id, saltB64u: Buffer.from(salt).toString('base64url') }
}

/** The key of a log that is not the SDK's. */
export function newLogKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ml-dsa-65')
  const { pub = '' } = publicKey.export({ format: 'jwk' }) as { pub?: string }
  return { privateKey, publicKeyB64u: pub }
}
type LogKey = ReturnType<typeof newLogKey>

export function checkpointOf({ privateKey, publicKeyB64u }: LogKey, size: number, root: string, issuedAt = NOW) {
  const statement = { type: 'svc/anchor-checkpoint/v1', realm: REALM, log: LOG, size, root, issuedAt }
  return { statement, signatureB64u: signed(privateKey, statement), publicKeyB64u }
}

export function signed(key: KeyObject, statement: object): string {
  return sign(null, Buffer.from(jcs(statement)), key).toString('base64url')
}

/** The bundle of an anchor that is the only entry of its log. */
export async function anchorOf(
  identity: Identity,
  content: Uint8Array,
  key: LogKey,
  { root = sha3(content).toString('hex'), witness = null as LogKey | null } = {},
) {
  const [epoch, hashAlg, owner] = ['plan.txt', 'sha3-384', identity.did]
  const { anchors } = new Client({ core: REALM, did: 'https://did.example', identity, now: () => NOW })
  const attestations = [await anchors.attest(root, epoch)]
  const id = sha3(jcs({ type: 'svc/anchor-id/v1', owner, root, epoch, hashAlg }))
  const anchorId = id.subarray(0, 24).toString('base64url')
  const salt = Buffer.alloc(16, 7).toString('base64url')
  const leaf = { anchorId, root, epoch, hashAlg, createdAt: new Date(NOW).toISOString(), salt }
  const bodyHash = hashOf({ type: 'svc/anchor-body/v1', ...leaf, owner })
  const attestationsHash = hashOf({ type: 'svc/anchor-attestations/v1', salt, attestations })
  const entry = sha3(new Uint8Array(1), jcs({ kind: 'anchor', bodyHash, attestationsHash })).toString('hex')
  const log = {
    log: LOG,
    series: 'anchors',
    slot: { bits: 0, value: 0 },
    state: 'open',
    publicKeyB64u: key.publicKeyB64u,
    openedAt: NOW,
    previous: null,
    final: null,
    tiles: null,
  }
  const record = { ...leaf, owner, attestations, status: 'submitted', position: { log: LOG, index: 0 } }
  const states = witness ? statesBy(witness, entry) : { first: null, cosigned: [] }
  return { format: 'svc/anchor-bundle/v2', record, log, proof: [], checkpoint: checkpointOf(key, 1, entry), ...states }
}

/** What a witness cosigned when the log had only this entry. */
function statesBy({ privateKey, publicKeyB64u }: LogKey, root: string) {
  const witness = sha3(Buffer.from(publicKeyB64u, 'base64url')).toString('hex')
  const head = { type: 'svc/transparency-cosignature/v1', realm: REALM, log: LOG, size: 1, root, witness }
  const statement = { ...head, verifies: 'log', issuedAt: COSIGNED_AT }
  const cosignature = { statement, signatureB64u: signed(privateKey, statement), publicKeyB64u }
  return { first: { cosignature, consistency: [] }, cosigned: [{ cosignature, proof: [], consistency: [] }] }
}

/** A capsule of this content, and the bundle of its registration. */
export async function capsuleOf(identity: Identity, content: Uint8Array) {
  const places = { core: REALM, did: 'https://did.example', provenance: 'https://provenance.example' }
  const { provenance } = new Client({ ...places, identity, now: () => NOW })
  const signedCapsule = await provenance.sign(content, { kind: 'image', mime: 'image/png' })
  const { capsule, signature } = signedCapsule
  const proof = {
    format: 'svc-proof-bundle/1',
    assetId: capsule.assetId,
    did: identity.did,
    capsule,
    capsuleHash: hashOf(capsule),
    signature,
    signer: { kind: 'root', scope: identity.scope, userId: identity.userId, epoch: 0, deviceId: null },
    registration: { position: 1, registeredAt: NOW, claimCount: 1 },
    keyStatus: null,
    chain: null,
    evidence: [{ kind: 'registration', strength: 'service', says: 'Provenance registered it' }],
    gaps: [{ gap: 'no_ledger_anchor', says: 'Nothing is published to a ledger' }],
    anchor: null,
    anchorReason: 'Nothing is published to a ledger',
    issuedAt: NOW,
  }
  return { capsule: signedCapsule, proof }
}
