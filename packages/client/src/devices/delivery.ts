import type * as z from 'zod'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { signStatement, verifyStatement } from '#protocol/base/statement'
import type { AttestDevice } from '#protocol/devices/inception'
import {
  contentsHash,
  type JoinRequest,
  type Sealed,
  type SealedContents,
  sealedContentsSchema,
} from '#protocol/devices/rendezvous'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Transport } from '../transport/transport.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { jsonIn, readContent } from '../verification/read-content.ts'
import { unverified } from '../verification/verification-error.ts'
import { open, seal } from './sealing.ts'

/** What a device gets when it joins an identity. */
export interface Welcome {
  /** The device as a member of the identity, ready to make assertions. */
  readonly device: Device
  readonly attestation: AttestDevice
  /** What the root's device sent along, or null. */
  readonly payload: Uint8Array | null
}

interface Sender {
  readonly transport: Transport
  readonly root: Identity
  /** Of the offer. */
  readonly code: string
  readonly sealKey: Uint8Array
}

interface Sent {
  /** Who has joined, as the service says now. */
  readonly request: JoinRequest
  readonly attestation: AttestDevice
  readonly payload: Uint8Array | undefined
}

/**
 * Encrypts for the joined device, to the key it had when it was attested: what the service says now has not been
 * compared.
 */
export async function sealDelivery(sender: Sender, { request, attestation, payload }: Sent): Promise<Sealed> {
  const { code, sealKey } = sender
  const { acceptance } = attestation
  const { deviceId, kemPublicKeyB64u, x25519B64u } = acceptance.statement
  const joined = request.acceptance.statement
  const isSame = joined.kemPublicKeyB64u === kemPublicKeyB64u && joined.x25519B64u === x25519B64u
  if (joined.deviceId !== deviceId || !isSame) {
    throw unverified('offer', 'different_answer', 'Another device has joined this offer')
  }
  const contents = { attestation, payloadB64u: payload ? encodeBase64url(payload) : null }
  const delivery = await signDelivery(sender, deviceId, contents)
  const plaintext = new TextEncoder().encode(JSON.stringify({ ...contents, delivery }))
  return seal(plaintext, { kemPublicKeyB64u, x25519B64u }, { code, deviceId, sealKey })
}

async function signDelivery(
  { transport, root, code }: Sender,
  deviceId: string,
  contents: Pick<SealedContents, 'attestation' | 'payloadB64u'>,
) {
  const { did, scope } = root
  const statement = {
    type: 'svc/delivery/v1',
    ...placed(await transport.signing()),
    did,
    scope,
    code,
    deviceId,
    contentsHash: contentsHash(contents),
  } as const
  return signStatement(statement, signerOf(root))
}

interface Receiver {
  readonly transport: Transport
  readonly history: KeyHistory
  /** Whose offer it is. */
  readonly did: string
  readonly code: string
  readonly sealKey: Uint8Array
}

/** Decrypts a delivery. It must be by the current root key, for this device and this offer. */
export async function openDelivery(
  { transport, history, did, code, sealKey }: Receiver,
  device: Device,
  sealed: Sealed,
): Promise<Welcome> {
  const { deviceId } = device
  const opened = await open(sealed, device, { code, deviceId, sealKey })
  const contents = contentsOf(opened)
  const { attestation, payloadB64u, delivery } = contents
  if (attestation.statement.did !== did)
    throw unverified('device', 'wrong_identity', 'The attestation belongs to another identity', {
      evidence: attestation,
    })
  const keys = await history.of(did)
  const root = keys.at(-1) ?? keys[0]
  const member = await device.attested(attestation, keys, transport.realms)
  const { statement } = delivery
  const isDelivered =
    statement.scope === keys[0].userId &&
    statement.code === code &&
    statement.deviceId === deviceId &&
    statement.contentsHash === contentsHash(contents) &&
    (await verifyStatement(delivery, bytesOf(root.publicKeyB64u), transport.realms))
  if (!isDelivered)
    throw unverified('offer', 'invalid_signature', 'The identity of the offer did not sign this delivery')
  return {
    device: member,
    attestation,
    payload: payloadB64u === null ? null : readBytesOf('offer', 'payloadB64u', payloadB64u),
  }
}

/** Anybody can encrypt to the device. Nothing is accepted that the form does not name. */
function contentsOf(opened: Uint8Array): z.output<typeof sealedContentsSchema> {
  return readContent('offer', sealedContentsSchema, jsonIn(opened))
}
