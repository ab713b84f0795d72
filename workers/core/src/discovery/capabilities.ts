import { HASH_ALG, KEM_ALG, SIGNATURE_ALG } from '@svc/protocol/base/labels'
import { MAX_PAGE_BLOCKS } from '@svc/protocol/chain/api'
import { MAX_PAYLOAD_BYTES } from '@svc/protocol/chain/chain'
import type { Capabilities } from '@svc/protocol/http/discovery'
import { DEK_WRAP } from '@svc/protocol/notes/data-key'
import { MAX_ATTACHMENT_BYTES, MAX_NOTE_CIPHERTEXT_BYTES } from '@svc/protocol/notes/notes'
import type { Config } from '../env.ts'
import { CORE_DESCRIPTION } from '../service.ts'

const LEGACY_RECOVERY = 'Legacy recovery is not accepted by native v4.'

/** The first public origin is the canonical one; the others are aliases. */
export function originOf({ PUBLIC_ORIGINS }: Config): string {
  return PUBLIC_ORIGINS[0] ?? ''
}

export function capabilitiesOf(config: Config, receiptKeyB64u: string | null): Capabilities {
  const devices = config.DEVICE_KEYS === 'on'
  return {
    version: CORE_DESCRIPTION.version,
    commit: config.COMMIT,
    authSchemes: ['ServiceAssertion'],
    features: {
      headerPrepare: true,
      pqc: { mlKem: [KEM_ALG], mlDsa: [SIGNATURE_ALG], legacyRecovery: LEGACY_RECOVERY },
      assertions: { versions: devices ? [1, 2] : [1], bindings: ['htm', 'htu', 'bodyHash'], deviceKeys: devices },
      rotation: {
        versions: config.ROTATION_V2 === 'on' ? [1, 2] : [1],
        windowMs: config.ROTATION_WINDOW_SECONDS * 1000,
      },
      notes: {
        version: 2,
        maxCiphertextBytes: MAX_NOTE_CIPHERTEXT_BYTES,
        maxAttachmentBytes: MAX_ATTACHMENT_BYTES,
        quotaBytes: config.NOTES_QUOTA_BYTES,
        receiptKeyB64u,
      },
      chain: {
        profiles: config.CHAIN_V4 === 'on' ? [2, 3, 4] : [2, 3],
        maxPayloadBytes: MAX_PAYLOAD_BYTES,
        maxPage: MAX_PAGE_BLOCKS,
      },
    },
    storage: {
      default: 'ipfs',
      gateway: `${originOf(config)}/ipfs/`,
      pinning: config.PINNING_PROVIDER !== 'off',
      provider: config.PINNING_PROVIDER === 'external-http' ? 'external-http' : 'object-store',
      providers: ['object-store', 'external-http'],
    },
    policy: {
      headerCanonicalization: 'v2',
      aadHashAlg: HASH_ALG,
      anchorHashAlg: HASH_ALG,
      anchorHashAlgs: [HASH_ALG],
      dekWrap: {
        hkdf: { kdf: 'hkdf-sha3-384', salt: DEK_WRAP, info: DEK_WRAP, L: 32 },
        supported: ['aes-kwp', 'aes-gcm'],
        recommended: 'aes-kwp',
      },
    },
  }
}
