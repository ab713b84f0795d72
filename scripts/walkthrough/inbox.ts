import type { OpenContact } from '@svc/client'
import { hashTextHex } from '@svc/protocol/base/hash'
import type { ContactEnvelope, InboxMessage } from '@svc/protocol/inbox/inbox'
import { clientOf, named, ownAddress, type Show, type World } from './world.ts'

const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
const DRAFT = { name: 'Grace', email: 'grace@example.org', subject: 'Your picture', message: 'May I print it?' }

interface Sent {
  readonly contact: OpenContact
  readonly code: string
  readonly envelope: ContactEnvelope
}

/** A stranger contacts an asset's owner: verifies a mail address, and sends a message that only the owner can read. */
export async function inbox(world: World, show: Show): Promise<void> {
  const metadataHash = hashTextHex('a picture that people ask about')
  let assetId = ''
  const media = { mime: 'image/png', bytes: 1234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }
  await show('alice: mints an asset that accepts contact requests', world.alice.identity.did, async () => {
    const { asset, owner } = await world.alice.client.assets.mint({ media, metadataHash })
    assetId = asset.assetId
    return owner
  })
  const sent = await writing(world, assetId, show)
  if (sent) await reading(world, sent, show)
}

async function writing(world: World, assetId: string, show: Show): Promise<Sent | null> {
  // The state keeps rate limits, so each run is another person at another address.
  const name = crypto.randomUUID()
  const { contact: contacts } = clientOf(world, { headers: ownAddress() })
  const request = { assetId, fromEmail: `grace.${name}@example.org`, challengeToken: DUMMY_TOKEN }
  let sent: Sent | null = null
  await show('must fail: a contact request without a human check', '400 challenge_failed', async () =>
    contacts.request({ ...request, challengeToken: 'a token of its own' }).then(() => 'a code', named),
  )
  await show('must fail: an unknown asset', '404 owner_unresolvable', async () => {
    const unknown = `asset:sha3-384:${'0'.repeat(96)}`
    return contacts.request({ ...request, assetId: unknown }).then(() => 'a code', named)
  })
  await show('grace: receives a code, and verifies alice’s key', '6 digits, to alice', async () => {
    const contact = await contacts.request({ ...request, owner: world.alice.identity.did })
    const code = await world.mail.codeIn(assetId)
    sent = { contact, code, envelope: await contacts.seal(contact, DRAFT) }
    return `${code.length} digits, to ${contact.owner === world.alice.identity.did ? 'alice' : 'somebody else'}`
  })
  await show('must fail: a wrong code', '403 code_rejected', async () => {
    if (!sent) return 'nothing to send'
    const other = String((Number(sent.code) + 1) % 1_000_000).padStart(6, '0')
    return contacts.verify(sent.contact, other, sent.envelope).then(() => 'delivered', named)
  })
  await show('grace: delivers the sealed message twice', 'one delivery', async () => {
    if (!sent) return 'nothing to send'
    const { contact, code, envelope } = sent
    const first = await contacts.verify(contact, code, envelope)
    const again = await contacts.verify(contact, code, envelope)
    return first.deliveredAt === again.deliveredAt ? 'one delivery' : 'two deliveries'
  })
  return sent
}

async function reading({ alice, bob, core }: World, { contact }: Sent, show: Show): Promise<void> {
  const { inbox: mine } = alice.client
  let message: InboxMessage | undefined
  await show('alice: lists her inbox', '1 unread', async () => {
    const page = await mine.list()
    message = page.messages.find(({ requestId }) => requestId === contact.requestId)
    return `${page.unread} unread`
  })
  if (!message) return
  const { msgId } = message
  const sealed = message
  await show('alice: opens it', DRAFT.message, async () => (await mine.open(sealed)).message)
  await show('must fail: bob opens it', 'refused', async () =>
    bob.client.inbox.open(sealed).then(
      () => 'opened',
      () => 'refused',
    ),
  )
  await show('must fail: bob lists her inbox', '403', async () => {
    const url = `${core}/api/inbox/${alice.identity.did}`
    const authorization = await bob.identity.assertion({ audience: 'chain', method: 'GET', url, now: Date.now() })
    return String((await fetch(url, { headers: { authorization } })).status)
  })
  await show('alice: marks it as read, and exports her inbox', '0 unread, 1 exported', async () => {
    await mine.read(msgId)
    return `${(await mine.list()).unread} unread, ${(await mine.export()).messages.length} exported`
  })
  await show('alice: deletes it', '0 left', async () => {
    await mine.delete(msgId)
    return `${(await mine.list()).total} left`
  })
}
