import { encodeBase64url } from '@svc/protocol/base/base64url'
import { type ConsentAct, consentSignedBytes, type Preferences } from '@svc/protocol/consent/consent'
import { messageOf } from '@svc/protocol/consent/history'
import { alice } from '../../sides.ts'
import { signerOf } from '../../signer.ts'
import { NOW } from '../situation.ts'

export const HASH = 'identifier of #1'
export const DISALLOW: Preferences = { ai_training: 'disallow' }
export const PATH = `/api/v1/consent/${encodeURIComponent(HASH)}`

export async function signatureOf(preferences: Preferences | null, by = alice, creator = alice.did): Promise<string> {
  return encodeBase64url(await signerOf(by)(consentSignedBytes(messageOf(HASH, creator, { preferences }))))
}

export async function act(version: number, action: ConsentAct['action'], preferences: Preferences, by = alice) {
  return {
    version,
    action,
    preferences: preferences,
    public_key_b64u: by.publicKeyB64u,
    signature_b64u: await signatureOf(preferences, by),
    signer: { kind: 'root' as const, epoch: 0 },
    recorded_at: NOW + version,
  }
}
