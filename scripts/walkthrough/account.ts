import { newActivationCode, sendOperatorAct } from '@svc/operations/operator-act'
import { clientOf, named, type Show, type World } from './world.ts'

/** Pinned content, a licence, and the invitation page. */
export async function account(world: World, show: Show): Promise<void> {
  await content(world, show)
  await licence(world, show)
  await invitation(world, show)
}

async function content(world: World, show: Show): Promise<void> {
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
}

async function licence({ core, alice, bob, secrets }: World, show: Show): Promise<void> {
  const { code, act } = newActivationCode('notes', 30)
  await show('operator: issues an activation code', '200', async () =>
    String((await sendOperatorAct({ service: core, realm: core }, secrets.operatorSeed, act)).status),
  )
  await show('alice: redeems it', 'notes', async () => {
    return (await alice.client.account.redeem(code, alice.identity.did)).tier ?? 'none'
  })
  await show('alice: is licensed, bob is not', 'true, false', async () => {
    const [hers, his] = [await alice.client.account.licence(), await bob.client.account.licence()]
    return `${hers.licensed}, ${his.licensed}`
  })
  await show('must fail: bob redeems the same code', '404 code_unusable', async () =>
    bob.client.account.redeem(code, bob.identity.did).then(() => 'redeemed', named),
  )
}

async function invitation({ core }: World, show: Show): Promise<void> {
  await show('anyone: opens the invitation page', '200, Request an invitation', async () => {
    const response = await fetch(`${core}/invite-request`)
    const [, title] = /<h1>([^<]*)<\/h1>/.exec(await response.text()) ?? []
    return `${response.status}, ${title}`
  })
}
