import { Client, Identity } from '@svc/client'
import { freshAddress } from '../../../running-platform/fresh-address.ts'
import type { Visit } from '../../browser.fixture.ts'
import { DRAFT } from '../../contact-page.fixture.ts'
import { backupOf } from '../own-browsers.fixture.ts'

const MEDIA = { mime: 'image/png', bytes: 1, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }
export const placesOn = ({ platform }: Visit) => ({
  core: platform.urls.core,
  origin: 'http://localhost:3000',
  headers: { 'cf-connecting-ip': freshAddress() },
})

export const freshEmail = () => `ada-${crypto.randomUUID()}@example.org`

export interface Owner {
  readonly did: string
  readonly assetId: string
  readonly identity: Identity
  readonly client: Client
  /** Of the root key. */
  readonly backup: string
}

/** Somebody who has an asset, and a backup of the root key. */
export async function freshOwner(visit: Visit): Promise<Owner> {
  const identity = await Identity.create()
  const client = await Client.connect({ ...placesOn(visit), identity })
  await client.chain.genesis()
  await client.did.register()
  const { asset } = await client.assets.mint({ media: MEDIA })
  return {
    did: identity.did,
    assetId: asset.assetId,
    identity,
    client,
    backup: await backupOf(identity),
  }
}

/** A message by somebody without an identity, who has no form; with a key for a sealed answer or without. */
export async function write(visit: Visit, { did, assetId }: Owner, takesReply: boolean) {
  const { contact } = await Client.connect(placesOn(visit))
  const email = freshEmail()
  const open = await contact.request({ assetId, fromEmail: email, challengeToken: 'XXXX.DUMMY.TOKEN.XXXX', owner: did })
  const key = takesReply ? await contact.replyKey(open) : null
  const draft = { ...DRAFT, email, ...(key && { replyKeyB64u: key.publicKeyB64u }) }
  const sealed = await contact.seal(open, draft)
  await contact.verify(open, await visit.platform.mail.codeIn(email), sealed)
  return { email, openReply: async (reply: unknown) => (key ? contact.openReply(reply, key) : null) }
}
