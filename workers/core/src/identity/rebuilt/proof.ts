/**
 * Whether an identity that is about to be rebuilt is what its owner signed. Who can write records could plant rows in
 * them: a revoked device that is active, another root key, a block. The rules are those by which clients verify an identity.
 *
 * @module
 */
import { RecordFault } from '@svc/objects/records'
import { bytesOf } from '@svc/protocol/base/base64url'
import type { Realms } from '@svc/protocol/base/realm'
import { verifyStatement } from '@svc/protocol/base/statement'
import { ChainVerifier } from '@svc/protocol/chain/chain'
import type { RotationRecord } from '@svc/protocol/chain/rotation'
import {
  isEndedBySuccessor,
  type Replacement,
  verifyKeyHistory,
  verifyRotationRecord,
} from '@svc/protocol/chain/rotation-verification'
import type { RootKey } from '@svc/protocol/chain/succession'
import { InceptionVerifier } from '@svc/protocol/devices/verifier'
import { devicesFault, rostersFault } from './follows.ts'
import type { BlockRow, RebuiltState } from './state.ts'

type Keys = readonly [RootKey, ...RootKey[]]

/** What was proved of the state, for the proof of the blocks. */
export interface ProvedState {
  readonly keys: Keys
  readonly genesisHash: string
}

/** Proves all but the blocks after the first one, whose hash is given. Rejects with a `RecordFault`. */
export async function proveState(
  state: RebuiltState,
  genesis: BlockRow | undefined,
  realms: Realms,
): Promise<ProvedState> {
  const { identity, events, rotations } = state
  const { did } = identity
  const history = await verifyKeyHistory(state.keys, did, realms, coSigned(state, realms))
  if (!history.ok) throw fault(`root key of epoch ${history.error.epoch}: ${history.error.reason}`)
  const keys = history.value
  const last = keys.at(-1) ?? keys[0]
  const isCurrent = last.epoch === identity.current.epoch && last.userId === identity.current.userId
  if (!isCurrent || identity.scope !== keys[0].userId || state.keys.length !== keys.length) throw fault('root keys')
  if (last.commitment && JSON.stringify(last.commitment) !== JSON.stringify(identity.commitment))
    throw fault(`commitment of epoch ${last.epoch}`)
  if (!genesis) throw fault('block 0: missing')
  const log = new InceptionVerifier(keys, genesis.hash, realms)
  for (const [index, { event, hash }] of events.entries()) {
    const next = await log.next(event)
    if (!next.ok) throw fault(`event ${index + 1} of the inception log: ${next.error.reason}`)
    if (next.value.hash !== hash) throw fault(`hash of event ${index + 1} of the inception log`)
  }
  const follows = devicesFault(state, log.devices) ?? rostersFault(state, log.roster)
  if (follows) throw fault(follows)
  const deviceKeys = new Map(log.devices.map(({ deviceId, publicKeyB64u }) => [deviceId, publicKeyB64u]))
  for (const record of rotations) await proveRotation(record, { did, keys, deviceKeys, realms })
  await proveStatements(state, keys, realms)
  return { keys, genesisHash: genesis.hash }
}

/** Takes blocks in order. Rejects with a `RecordFault`. */
export class BlocksProof {
  readonly #verifier: ChainVerifier

  constructor(did: string, { keys }: ProvedState) {
    this.#verifier = new ChainVerifier(did, keys)
  }

  async next({ block, hash }: BlockRow): Promise<void> {
    const next = await this.#verifier.next(block)
    if (!next.ok) throw fault(`block ${block.index}: ${next.error.reason}`)
    if (next.value.hash !== hash) throw fault(`hash of block ${block.index}`)
  }
}

function fault(what: string): RecordFault {
  return new RecordFault(`The records are not what the owner signed: ${what}`)
}

/** Rule R19 was applied when the rotation took effect. Here a device that the log knew has to have co-signed it. */
function coSigned({ events }: RebuiltState, realms: Realms) {
  return async ({ evidence: { cosigned } }: Replacement) => {
    const attested = events.find(
      ({ event }) => 'acceptance' in event && event.statement.deviceId === cosigned.statement.signedBy,
    )
    const key = attested && 'acceptance' in attested.event ? attested.event.statement.devicePublicKeyB64u : null
    const isSigned = key !== null && (await verifyStatement(cosigned, bytesOf(key), realms))
    return isSigned ? null : ('no_standing' as const)
  }
}

interface Proved {
  readonly did: string
  readonly keys: Keys
  readonly deviceKeys: ReadonlyMap<string, string>
  readonly realms: Realms
}

async function proveRotation(record: RotationRecord, { did, keys, deviceKeys, realms }: Proved): Promise<void> {
  const { rotationId, epoch } = record
  const ending = keys[epoch - 1]
  if (!ending || !(await verifyRotationRecord(record, did, ending, realms))) throw fault(`rotation ${rotationId}`)
  for (const signed of [...record.cosigned, ...record.vetoes]) {
    const key = deviceKeys.get(signed.statement.signedBy)
    const isDevice = signed.statement.signedBy !== 'root' && !('successorPublicKeyB64u' in signed.statement)
    if (isDevice && !(key && (await verifyStatement(signed, bytesOf(key), realms))))
      throw fault(`signature of a device about rotation ${rotationId}`)
  }
}

/** Statements that are verified on their own. */
async function proveStatements(
  { identity: { did, commitment }, keyAgreement, deactivation }: RebuiltState,
  keys: Keys,
  realms: Realms,
): Promise<void> {
  const last = keys.at(-1) ?? keys[0]
  if (keyAgreement) {
    const isOwn = keyAgreement.statement.did === did
    if (!isOwn || !(await verifyStatement(keyAgreement, bytesOf(last.publicKeyB64u), realms)))
      throw fault('key agreement')
  }
  if (deactivation) {
    const { statement } = deactivation
    const isOwn = statement.did === did && statement.epoch === last.epoch
    const isSigned = isOwn && (await verifyStatement(deactivation, bytesOf(last.publicKeyB64u), realms))
    if (!isSigned || !(await isEndedBySuccessor(deactivation, commitment, realms))) throw fault('deactivation')
  }
}
