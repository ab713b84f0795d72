/** A root key of Alice that replaced her committed key, with the log of a directory that recorded the replacement. */
import { deviceIdOf } from '../base/device.ts'
import { userIdOfKey } from '../base/identity.ts'
import { signStatement } from '../base/statement.ts'
import { type Signer, signerOf } from '../chain/chain.fixture.ts'
import { alice, committing, genesisOfKeys, requested, second, third } from '../chain/rotation.fixture.ts'
import { type RootKeyEvidence, rotationIdOf, STANDING_MS } from '../chain/rotation.ts'
import { attestationOf, changeOf } from '../devices/inception.fixture.ts'
import type { AttestDevice, ChangeDevice } from '../devices/inception.ts'
import type { DirectoryCheckpoint } from '../merkle/checkpoint.ts'
import { openEntry } from '../merkle/entries.ts'
import { firstKey, fixtureLog, openedEntry, REALM, signedList } from '../merkle/rolled-log.fixture.ts'
import { labels } from './account-labels.fixture.ts'
import { mapLine } from './account-map.ts'
import { leafIdOf, updateLine } from './account-updates.ts'
import { openedHash } from './replacement.ts'
import type { InclusionAnswer } from './transparency.ts'

export const DAY_MS = 24 * 3_600_000
export const REQUESTED_AT = 1_790_000_000_000
export const device = await signerOf(20)
const NAME = `${REALM}/transparency/2027a`
const ROOT = 'a7'.repeat(48)
const HEAD = { sequence: 0, hash: 'a7'.repeat(48) }
const root = { genesis: alice, epoch: 0, signer: alice }

export interface Changes {
  readonly replaceable?: boolean
  /** Times of the request and the activation in the log, in ms after `REQUESTED_AT`. */
  readonly requestMapMs?: number
  readonly activationMapMs?: number
  /** Time from the attestation of the device to the request, ms. */
  readonly attestedMs?: number
  readonly capabilities?: AttestDevice['statement']['capabilities']
  /** Later events of the device, each with its time in ms before the request. */
  readonly events?: readonly (readonly [
    ms: number,
    change: Pick<ChangeDevice['statement'], 'event' | 'capabilities'>,
  ])[]
  readonly attestedBy?: Signer
  readonly cosignedBy?: Signer
}

async function eventsOf({
  attestedMs = 2 * DAY_MS,
  capabilities = ['rotation:cosign'],
  events = [],
  attestedBy = alice,
}: Changes) {
  const attested = await attestationOf(root, HEAD, device)
  const statement = { ...attested.statement, capabilities, issuedAt: REQUESTED_AT - attestedMs }
  const first: AttestDevice = { ...attested, ...(await signStatement(statement, attestedBy.sign)) }
  const later = events.map(async ([ms, change], i) => {
    const changed = await changeOf(root, { ...HEAD, sequence: i + 1 }, device, change)
    return signStatement({ ...changed.statement, issuedAt: REQUESTED_AT - ms }, alice.sign)
  })
  return [first, ...(await Promise.all(later))]
}

/** Returns the log of a directory with the request and, 30 days later, the activation. */
export async function loggedOf(
  about: { readonly did: string; readonly rotationId: string; readonly requestedAt: number },
  { requestMapMs = 10_000, activationMapMs = STANDING_MS }: Changes = {},
) {
  const { did, rotationId, requestedAt } = about
  const { label, labelProofB64u } = labels.prove(did)
  const hashes = [openedHash(about), rotationId]
  const update = (seq: number) => updateLine({ label, seq, statementHash: hashes[seq - 1] ?? '' })
  const map = (epoch: number, size: number, ms: number) => mapLine({ size, root: ROOT, epoch, at: requestedAt + ms })
  const lines = [openEntry(NAME, null), update(1), map(1, 2, requestMapMs), update(2), map(2, 4, activationMapMs)]
  const log = fixtureLog('transparency', NAME, firstKey, lines)
  const checkpoint = (await log.checkpoint()) as DirectoryCheckpoint
  const at = (index: number) => ({ position: { log: NAME, index }, proof: log.inclusion(index) })
  const proofs = hashes.map((hash, i): InclusionAnswer => {
    const index = 2 * i + 1
    const place = { leaf: lines[index + 1] ?? '', ...at(index + 1) }
    return { leafId: leafIdOf(label, hash), seq: i + 1, ...at(index), checkpoint, map: place }
  })
  const signed = await signedList({ logs: [openedEntry('transparency', log, null)] })
  return { list: signed.statement, signed, label, labelProofB64u, proofs }
}

export async function replaced(changes: Changes = {}) {
  const { replaceable = true, cosignedBy = device } = changes
  const commitment = { ...committing(second), replaceable }
  const key = (signer: Signer, epoch: number) => {
    const publicKeyB64u = signer.ownerPublicKey
    return { epoch, userId: userIdOfKey(publicKeyB64u), publicKeyB64u, activatedAt: REQUESTED_AT + epoch * STANDING_MS }
  }
  const request = await requested(alice, third, 1)
  const rotationId = rotationIdOf(request.statement)
  const { did, scope } = alice
  const cosigned = await signStatement(
    {
      type: 'svc/rotation-cosign/v1',
      realm: REALM,
      did,
      scope,
      rotationId,
      signedBy: deviceIdOf(device.ownerPublicKey),
      inception: null,
      issuedAt: REQUESTED_AT,
    } as const,
    cosignedBy.sign,
  )
  const genesis: RootKeyEvidence = { ...key(alice, 0), request: null, genesis: await genesisOfKeys(alice, commitment) }
  const replacement = { requestedAt: REQUESTED_AT, cosigned, events: await eventsOf(changes) }
  const last: RootKeyEvidence = { ...key(third, 1), request, genesis: null, replacement }
  return {
    evidence: [genesis, last] as const,
    rotationId,
    logged: await loggedOf({ did, rotationId, requestedAt: REQUESTED_AT }, changes),
  }
}
