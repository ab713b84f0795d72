import { inviteAct, readAct, takedownAct } from '@svc/operations/operator-act'
import { reportPublication } from '@svc/operations/publication'
import { freshAddress } from '@svc/platform/callers/send'
import { hashTextHex } from '@svc/protocol/base/hash'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { type Invite, invitePageSchema } from '@svc/protocol/operator/invites'
import { type Cast, DUMMY_TOKEN } from './cast.ts'
import { isRefused, isSame } from './memories.ts'

const MEDIA = { mime: 'image/png', bytes: 1234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }

/** Payloads, files of notes, assets, pins, takedowns, reports of the publisher, and requests for an invitation. */
export async function rememberCore(cast: Cast): Promise<void> {
  await payload(cast)
  await file(cast)
  await asset(cast)
  await pins(cast)
  await report(cast)
  await invitation(cast)
}

/** Above what a block holds itself. */
async function payload(cast: Cast): Promise<void> {
  const { client } = await cast.someone()
  const bytes = new Uint8Array(100_000).map((_, i) => i % 251)
  const { hash } = await client.chain.append({ payload: bytes })
  cast.memories.holds('a payload of a block', async () => isSame((await client.chain.payload(hash)).bytes, bytes))
}

async function file(cast: Cast): Promise<void> {
  const { client } = await cast.someone()
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  const note = await client.notes.put({ title: 'With a file', body: 'drill' })
  await client.notes.attach(note, { name: 'photo.jpg', type: 'image/jpeg', bytes })
  cast.memories.holds('a note with a file', async () => {
    const { body, attachments } = await client.notes.get(note.noteId)
    const [attached] = attachments
    return (
      body === 'drill' && attached !== undefined && isSame(await client.notes.attachment(note.noteId, attached), bytes)
    )
  })
}

async function asset(cast: Cast): Promise<void> {
  const [minter, owner] = [await cast.someone(), await cast.someone()]
  const { asset: minted } = await minter.client.assets.mint({
    media: MEDIA,
    metadataHash: hashTextHex(crypto.randomUUID()),
  })
  const { assetId } = minted
  await minter.client.assets.transfer(assetId, owner.identity.did)
  await owner.client.assets.addReceipt(assetId, { standard: 'erc721', contract: `0x${'ab'.repeat(20)}`, tokenId: '7' })
  cast.memories.holds('an asset, its transfer and its receipt', async () => {
    const { record, transfers, proof } = await owner.client.assets.export(assetId)
    return (
      proof.owner === 'proved' &&
      proof.did === owner.identity.did &&
      transfers.length === 1 &&
      record.receipts?.length === 1
    )
  })
}

async function pins(cast: Cast): Promise<void> {
  const { client } = await cast.someone()
  const add = async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(40_000))
    const cid = await (await fetch(cast.stage.gatewayUrl, { method: 'POST', body: bytes })).text()
    await client.account.pin(cid, 'drill')
    return { cid, bytes }
  }
  const [kept, removed] = [await add(), await add()]
  await cast.perform(takedownAct(['core', 'pin', removed.cid, 'court_order']))
  cast.memories.holds('a pin and its content', async () => {
    const { pins: listed } = await client.account.pins()
    return listed.some(({ cid }) => cid === kept.cid) && isSame(await cast.anyone.account.content(kept.cid), kept.bytes)
  })
  cast.memories.refuses('content that was taken down', () =>
    isRefused(cast.anyone.account.content(removed.cid), 'taken_down', 'not_found'),
  )
  cast.memories.holds('a takedown in the public list', async () => {
    for await (const { subject } of cast.anyone.account.takedowns()) if (subject.id === removed.cid) return true
    return false
  })
}

async function report(cast: Cast): Promise<void> {
  const { core, did } = cast.stage.urls
  const { client } = await cast.someone()
  const { anchorId } = await client.anchors.submit({ root: hashTextHex(crypto.randomUUID()), epoch: 'drill' })
  const publication = { anchorId, chain: 'example-ledger', tx: '0xabc', state: 'confirmed' } as const
  await reportPublication({ core, did, realm: core }, publication, cast.stage.secrets.publisherSeed)
  cast.memories.holds('a report of the publisher', async () => {
    const { status } = await client.anchors.read(anchorId)
    return status === 'confirmed'
  })
}

async function invitation(cast: Cast): Promise<void> {
  const email = `ada.${crypto.randomUUID()}@example.org`
  const body = new URLSearchParams({ email, name: 'Ada', reason: 'A drill.', 'cf-turnstile-response': DUMMY_TOKEN })
  const headers = { 'cf-connecting-ip': freshAddress() }
  const { status } = await fetch(`${cast.stage.urls.core}/invite-request`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`the request for an invitation was refused with ${status}`)
  const { id } = (await invitesOf(cast)).find((one) => one.email === email) ?? { id: '' }
  await cast.perform(inviteAct(['decline', id]))
  const isDecided = async () => {
    const own = (await invitesOf(cast)).filter((one) => one.email === email)
    return own.length === 1 && own[0]?.state === 'declined'
  }
  cast.memories.holds('a request for an invitation, and its decision', isDecided, { byOperator: true })
}

async function invitesOf(cast: Cast): Promise<Invite[]> {
  const found: Invite[] = []
  for (let next: number | null = 0; next !== null; ) {
    const answer = await cast.perform(readAct(['invites', 'list', String(next)]))
    const { data } = envelopeOf(invitePageSchema).parse(answer)
    found.push(...data.invites)
    next = data.next
  }
  return found
}
