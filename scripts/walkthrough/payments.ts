import {
  deadLetterAct,
  grantEndAct,
  newCode,
  type OperatorAct,
  readAct,
  sendOperatorAct,
} from '@svc/operations/operator-act'
import type { GrantList } from '@svc/protocol/operator/reads'
import { clientOf, LOCAL_ORIGIN, named, type Show, type World } from './world.ts'

/** Offers, a payment, an entitlement code, and metered use. */
export async function payments(world: World, show: Show): Promise<void> {
  await offers(world, show)
  await paying(world, show)
  await refunding(world, show)
  await metering(world, show)
  await codes(world, show)
  await deadLetters(world, show)
}

async function offers(world: World, show: Show): Promise<void> {
  const anyone = clientOf(world)
  await show('anyone: reads the offers of Germany', 'eu, 6 offers, provenance-month €9.00', async () => {
    const { region, offers: all, recommended } = await anyone.pay.offers('DE')
    const price = all.find(({ sku }) => sku === recommended)?.price.display
    return `${region}, ${all.length} offers, ${recommended} ${price}`
  })
  await show('anyone: reads a price in dinars, with three decimals', '2750 KWD', async () => {
    const { price } = await anyone.pay.offer('provenance-month', 'KW')
    return `${price?.amount_minor} ${price?.currency}`
  })
  await show('must fail: an unknown offer', '404 unknown_sku', async () =>
    anyone.pay.offer('city-month').then(() => 'offered', named),
  )
}

async function paying({ alice, bob, pay }: World, show: Show): Promise<void> {
  const { client } = alice
  await show('alice: has the tier of her code', 'notes, code', async () => {
    const { tier, source } = await client.entitlement.current()
    return `${tier}, ${source}`
  })
  const intent = await client.pay.intent('atelier-month', { country: 'DE', key: 'walk-through' })
  await show('alice: starts a payment twice with one idempotency key', 'open, the same', async () => {
    const again = await client.pay.intent('atelier-month', { country: 'DE', key: 'walk-through' })
    return `${again.state}, ${again.id === intent.id ? 'the same' : 'another'}`
  })
  await show('alice: pays on the development page', 'paid', async () => {
    await conclude(pay, intent.id, 'pay')
    return (await client.pay.readIntent(intent.id)).state
  })
  await show('alice: has the tier she paid for, renewing', 'atelier, renews', async () => {
    const { tier, renews } = await client.entitlement.current()
    return `${tier}, ${renews ? 'renews' : 'ends'}`
  })
  await show('must fail: alice subscribes a second time', '409 already_subscribed', async () =>
    client.pay.intent('provenance-year').then(() => 'open', named),
  )
  await show('alice: changes to a lower plan, from the next period on', 'atelier, then provenance', async () => {
    const [grant] = (await client.entitlement.current()).grants
    if (grant) await client.entitlement.changePlan(grant.id, 'provenance-month')
    const { tier, next } = await client.entitlement.current()
    return `${tier}, then ${next}`
  })
  await show('must fail: bob reads alice’s payment', '404 not_found', async () =>
    bob.client.pay.readIntent(intent.id).then(() => 'read', named),
  )
  await show('must fail: an event without the provider’s signature', '403', async () => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' }
    return String((await fetch(`${pay}/pay/webhook/stripe`, { method: 'POST', headers, body: '{}' })).status)
  })
}

/** Submits the development page. */
async function conclude(pay: string, id: string, outcome: 'pay' | 'refund'): Promise<void> {
  await fetch(`${pay}/pay/dev/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: LOCAL_ORIGIN },
    body: new URLSearchParams({ id, outcome }).toString(),
  })
}

async function refunding({ bob, pay }: World, show: Show): Promise<void> {
  const { client } = bob
  const { id } = await client.pay.intent('provenance-pass-month', { key: 'walk-through' })
  await show('bob: buys a month', 'provenance until its end', async () => {
    await conclude(pay, id, 'pay')
    const { tier, renews } = await client.entitlement.current()
    return `${tier} ${renews ? 'and on' : 'until its end'}`
  })
  await show('bob: gets his money back, and has the free tier again', 'notes, refunded', async () => {
    await conclude(pay, id, 'refund')
    const { tier, grants } = await client.entitlement.current()
    return `${tier}, ${grants.find((grant) => grant.id === `pass:${id}`)?.reversed}`
  })
}

async function metering({ alice, bob }: World, show: Show): Promise<void> {
  await show('alice: uses two searches and gets a receipt', '2 of 50000', async () => {
    const { used, limit } = (await alice.client.quota.consume('search', { amount: 2, key: 'first' })).statement
    return `${used} of ${limit}`
  })
  await show('alice: repeats the same use at no cost', '2', async () => {
    return String((await alice.client.quota.consume('search', { amount: 2, key: 'first' })).statement.used)
  })
  await show('alice: releases it', '0', async () => String((await alice.client.quota.refund('first')).statement.used))
  await show('bob: sends fifty uses at once against a limit of twenty', '20 counted, 30 refused', async () => {
    const uses = Array.from({ length: 50 }, () =>
      bob.client.quota.consume('text').then(
        () => 'counted',
        (error: unknown) => named(error),
      ),
    )
    const outcomes = await Promise.all(uses)
    const counted = outcomes.filter((outcome) => outcome === 'counted').length
    const refused = outcomes.filter((outcome) => outcome === '402 quota_exhausted').length
    return `${counted} counted, ${refused} refused`
  })
  await show('must fail: an unregistered capsule', '403 meter_internal', async () =>
    bob.client.quota.consume('capsule').then(() => 'counted', named),
  )
}

async function deadLetters({ core, pay, secrets }: World, show: Show): Promise<void> {
  const read = deadLetterAct(['dead-letters'])
  if (!read) throw new Error('no act')
  await show('operator: lists events that were not understood', '200, none', async () => {
    const response = await sendOperatorAct({ service: pay, realm: core }, secrets.operatorSeed, read)
    const { data } = (await response.json()) as { data: { deadLetters: unknown[] } }
    return `${response.status}, ${data.deadLetters.length === 0 ? 'none' : data.deadLetters.length}`
  })
  await show('must fail: the same read, signed by somebody else', '403 invalid_signature', async () => {
    const response = await sendOperatorAct({ service: pay, realm: core }, new Uint8Array(32), read)
    const { error } = (await response.json()) as { error: string }
    return `${response.status} ${error}`
  })
}

async function codes({ alice, bob, core, pay, secrets }: World, show: Show): Promise<void> {
  const { code, act } = newCode('provenance', 30)
  await show('operator: issues a code for a tier', '200', async () =>
    String((await sendOperatorAct({ service: pay, realm: core }, secrets.operatorSeed, act)).status),
  )
  await show('bob: redeems it, typed without hyphens, and gets a higher limit', 'provenance, 21 of 500', async () => {
    const { tier } = await bob.client.entitlement.redeem(code.toLowerCase().replaceAll('-', ''))
    const { used, limit } = (await bob.client.quota.consume('text')).statement
    return `${tier}, ${used} of ${limit}`
  })
  await show('must fail: alice redeems the same code', '404 code_unusable', async () =>
    alice.client.entitlement.redeem(code).then(() => 'redeemed', named),
  )
  const send = async (signed: OperatorAct | null) => {
    if (!signed) throw new Error('no act')
    return sendOperatorAct({ service: pay, realm: core }, secrets.operatorSeed, signed)
  }
  let grantId = ''
  await show('operator: sees what gives bob his tier', 'provenance by a code', async () => {
    const response = await send(readAct(['grants', 'list', bob.identity.did]))
    const { data } = (await response.json()) as { data: GrantList }
    const held = data.grants.find(({ source }) => source === 'code')
    grantId = held?.id ?? ''
    return `${data.tier} by a ${held?.source}`
  })
  await show('operator: ends it, and the tier is gone at once', '200, notes', async () => {
    const { status } = await send(grantEndAct([grantId, 'mistake']))
    return `${status}, ${(await bob.client.entitlement.current()).tier}`
  })
}
