import { Client, type Device, Identity } from '@svc/client'
import { SaidError } from '../failures/sentences.ts'
import { findDevice } from '../keys/device-keys.ts'
import { words } from '../words/explorer/words.ts'

export type Credential = 'nobody' | 'own' | 'throw-away'

export interface Signer {
  readonly did: string
  readonly asserter: Identity | Device
}

let thrownAway: Promise<Signer> | undefined

/** Who signs; null for nobody. A throw-away identity opens its chain first, because services know no other. */
export async function signerOf(credential: Credential, core: string): Promise<Signer | null> {
  if (credential === 'nobody') return null
  if (credential === 'own') return own()
  thrownAway ??= newcomer(core).catch((error: unknown) => {
    thrownAway = undefined
    throw error
  })
  return thrownAway
}

async function own(): Promise<Signer> {
  const found = await findDevice()
  if (found.state === 'none') throw new SaidError(words.noIdentity)
  if (found.state === 'locked') throw new SaidError(words.locked)
  return { did: found.device.did, asserter: found.device }
}

async function newcomer(core: string): Promise<Signer> {
  const identity = await Identity.create()
  const client = await Client.connect({ core, identity })
  await client.chain.genesis()
  return { did: identity.did, asserter: identity }
}
