import { hashHex } from '#protocol/base/hash'
import { jcsBytes } from '#protocol/base/jcs'
import { SIGNATURE_ALG } from '#protocol/base/labels'
import { signStatement } from '#protocol/base/statement'
import { type ChainBlockV4, type ChainHead, signBlock } from '#protocol/chain/chain'
import {
  assetIdOf,
  CAPSULE_CONTENT_TYPE,
  type Capsule,
  type CapsuleKind,
  capsuleHash,
  type RegisterCapsule,
} from '#protocol/provenance/capsules'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Transport } from '../transport/transport.ts'

/** Facts about a file besides its bytes. All of them are claims of the signer. */
export interface CapsuleFacts {
  readonly kind: CapsuleKind
  /** Must match the kind: `image/jpeg`, `video/mp4`. */
  readonly mime: string
  /** Pixels. */
  readonly width?: number
  readonly height?: number
  readonly durationMs?: number
  readonly perceptual?: NonNullable<Capsule['perceptual']>
  /** SHA3-384 of the keypoint blob, 96 hex characters. */
  readonly keypointsHash?: string
  /** A commitment to metadata that the owner keeps, 96 hex characters. */
  readonly metadataHash?: string
  /** When it was made, epoch ms. */
  readonly capturedAt?: number
}

export type SignedCapsule = Pick<RegisterCapsule, 'capsule' | 'signature' | 'block'>

/** A capsule of a file, signed. The file is only hashed. */
export async function signCapsule(
  owner: Identity | Device,
  transport: Transport,
  file: Uint8Array,
  { kind, mime, width, height, durationMs, ...facts }: CapsuleFacts,
): Promise<SignedCapsule> {
  const media = { mime, bytes: file.length, ...given({ width, height, durationMs }) }
  const capsule: Capsule = {
    ...given(facts),
    type: 'svc/capsule/v1',
    ...placed(await transport.signing()),
    did: owner.did,
    kind,
    assetId: assetIdOf(file),
    media,
  }
  const { signatureB64u } = await signStatement(capsule, signerOf(owner))
  return { capsule, signature: { algorithm: SIGNATURE_ALG, publicKeyB64u: keyOf(owner), signatureB64u } }
}

/** The capsule with a block that follows the head of its owner's chain. */
export async function bindCapsule(
  owner: Identity,
  transport: Transport,
  signed: SignedCapsule,
  head: ChainHead,
): Promise<SignedCapsule> {
  const block = await signBlock<ChainBlockV4>(
    {
      index: String(Number(head.index) + 1),
      timestamp: String(transport.now()),
      previousHash: head.hash,
      dataHash: capsuleHash(signed.capsule),
      metadataHash: hashHex(jcsBytes({})),
      signatureAlg: SIGNATURE_ALG,
      ownerPublicKey: owner.publicKeyB64u,
      contentType: CAPSULE_CONTENT_TYPE,
      version: 4,
      scope: owner.scope,
      epoch: owner.epoch,
    },
    signerOf(owner, 'block'),
  )
  return { ...signed, block }
}

function keyOf(owner: Identity | Device): string {
  return owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
}

/** Only members that are present: an absent one must not be signed. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
