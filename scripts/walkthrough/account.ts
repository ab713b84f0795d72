import { newCode, readAct, sendOperatorAct, takedownAct } from '@svc/operations/operator-act'
import { invitations } from './operator/invitations.ts'
import { clientOf, named, type Show, titled, type World } from './world.ts'

/** Pinned content, a licence, and invitations. */
export async function account(world: World, show: Show): Promise<void> {
  const cid = await content(world, show)
  await leaving(world, cid, show)
  await licence(world, show)
  await invitations(world, show)
}

/** Returns the CID of what alice has pinned. */
async function content(world: World, show: Show): Promise<string> {
  const { core, alice, gatewayUrl } = world
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  const file = new Uint8Array(600_000).map((_, i) => bytes[i % bytes.length] ?? 0)
  const added = await fetch(gatewayUrl, { method: 'POST', body: file })
  const cid = await added.text()
  await show('alice: has a file of 600 kB pinned', 'pinned, 600000 bytes', async () => {
    const pin = await alice.client.account.pin(cid, 'walk-through')
    return `${pin.status}, ${pin.bytes} bytes`
  })
  await show('anyone: reads it back by its CID', 'the same bytes', async () => {
    const read = await clientOf(world).account.content(cid)
    return Buffer.compare(read, file) === 0 ? 'the same bytes' : 'others'
  })
  await show('anyone: reads a range of it', '206, bytes 300000-300999/600000', async () => {
    const response = await fetch(`${core}/ipfs/${cid}`, { headers: { range: 'bytes=300000-300999' } })
    const part = Buffer.from(await response.arrayBuffer())
    const { status, headers } = response
    return part.equals(file.subarray(300_000, 301_000)) ? `${status}, ${headers.get('content-range')}` : 'others'
  })
  await show('must fail: unknown content', '404 not_found', async () => {
    const nowhere = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
    return alice.client.account.content(nowhere).then(() => 'content', named)
  })
  return cid
}

/** Removing a pin, and a takedown by the operator. */
async function leaving(world: World, cid: string, show: Show): Promise<void> {
  const { core, alice, bob, secrets } = world
  await bob.client.account.pin(cid)
  await show('alice: lists her pins, and removes one', 'listed, then gone', async () => {
    const isListed = async () => (await alice.client.account.pins()).pins.some((pin) => pin.cid === cid)
    const before = await isListed()
    await alice.client.account.unpin(cid)
    return `${before ? 'listed' : 'missing'}, then ${(await isListed()) ? 'still there' : 'gone'}`
  })
  await show('operator: takes the content down', '200', async () => {
    const act = takedownAct(['core', 'pin', cid, 'court_order'])
    if (!act) return 'no act'
    return String((await sendOperatorAct({ service: core, realm: core }, secrets.operatorSeed, act)).status)
  })
  await show('must fail: reading or pinning it', '410 taken_down, 410 taken_down', async () => {
    const read = await clientOf(world)
      .account.content(cid)
      .then(() => 'content', named)
    return `${read}, ${await alice.client.account.pin(cid).then(() => 'pinned', named)}`
  })
  await show('anyone: sees that it was taken down, and why', 'court_order', async () => {
    for await (const { subject, reason } of clientOf(world).account.takedowns()) if (subject.id === cid) return reason
    return 'nothing'
  })
  await show('operator: lists what was taken down at core', '200, with the content', async () => {
    const read = readAct(['takedowns', 'list', 'core'])
    if (!read) return 'no read'
    const answer = await sendOperatorAct({ service: core, realm: core }, secrets.operatorSeed, read)
    return `${answer.status}, ${(await answer.text()).includes(cid) ? 'with' : 'without'} the content`
  })
}

async function licence({ core, pay, alice, bob, secrets }: World, show: Show): Promise<void> {
  const { code, act } = newCode('notes', 30)
  await show('operator: issues an activation code', '200', async () =>
    String((await sendOperatorAct({ service: pay, realm: core }, secrets.operatorSeed, act)).status),
  )
  await show('alice: redeems it', 'notes', async () => {
    return (await alice.client.account.redeem(code, alice.identity.did)).tier ?? 'none'
  })
  await show('alice: is licensed, bob is not', 'true, false', async () => {
    const [hers, his] = [await alice.client.account.licence(), await bob.client.account.licence()]
    return `${hers.licensed}, ${his.licensed}`
  })
  await show('anyone: types the code on the page, for the same identity', '200, The code was redeemed', async () => {
    const body = new URLSearchParams({ code: ` ${code.toLowerCase().replaceAll('-', ' ')} `, did: alice.identity.did })
    return titled(await fetch(`${core}/activation`, { method: 'POST', body }))
  })
  await show('must fail: bob redeems the same code', '404 code_unusable', async () =>
    bob.client.account.redeem(code, bob.identity.did).then(() => 'redeemed', named),
  )
}
