import { licenceAct, newCode } from '@svc/operations/operator-act'
import { freshAddress } from '@svc/platform/callers/send'
import { type Cast, LOCAL_ORIGIN } from './cast.ts'
import { isRefused } from './memories.ts'

/** What the operator gives: licences, and codes that somebody redeemed. In the database of control. */
export async function rememberGrants(cast: Cast): Promise<void> {
  const { memories } = cast
  const [licensed, former, holder, other] = await Promise.all(Array.from({ length: 4 }, () => cast.someone()))
  if (!licensed || !former || !holder || !other) throw new Error('there are four people')
  await cast.perform(licenceAct(['grant-licence', licensed.identity.did, 'atelier', '30'], Date.now()))
  memories.holds('a licence', async () => (await licensed.client.entitlement.current()).tier === 'atelier')
  await cast.perform(licenceAct(['grant-licence', former.identity.did, 'atelier', '30'], Date.now()))
  await cast.perform(licenceAct(['revoke-licence', former.identity.did], Date.now()))
  memories.refuses(
    'a licence that was ended',
    async () => (await former.client.entitlement.current()).tier !== 'atelier',
  )
  const { code, act } = newCode('provenance', 30)
  await cast.perform(act)
  await holder.client.entitlement.redeem(code)
  memories.holds('a code that was redeemed', async () => {
    const { tier, grants } = await holder.client.entitlement.current()
    return tier === 'provenance' && grants.length === 1
  })
  memories.refuses('a redeemed code, by somebody else', () =>
    isRefused(other.client.entitlement.redeem(code), 'code_unusable'),
  )
}

/** What was paid for, and what was paid back. */
export async function rememberPayments(cast: Cast): Promise<void> {
  const { memories } = cast
  const { client } = await cast.someone()
  const key = crypto.randomUUID()
  const { id } = await client.pay.intent('atelier-month', { country: 'DE', key })
  await conclude(cast, id, 'pay')
  memories.holds('a payment, and what it gives', async () => {
    const [{ state }, { tier, grants }] = [await client.pay.readIntent(id), await client.entitlement.current()]
    return state === 'paid' && tier === 'atelier' && grants.length === 1
  })
  memories.holds('the same payment, begun again under its key', async () => {
    return (await client.pay.intent('atelier-month', { country: 'DE', key })).id === id
  })
  const refunded = await cast.someone()
  const pass = await refunded.client.pay.intent('provenance-pass-month', { key })
  await conclude(cast, pass.id, 'pay')
  await conclude(cast, pass.id, 'refund')
  memories.refuses('what was paid back', async () => {
    return (await refunded.client.entitlement.current()).tier !== 'provenance'
  })
}

/** Submits the development page. */
async function conclude({ stage: { urls } }: Cast, id: string, outcome: 'pay' | 'refund'): Promise<void> {
  const { status } = await fetch(`${urls.pay}/pay/dev/checkout`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: LOCAL_ORIGIN,
      'cf-connecting-ip': freshAddress(),
    },
    body: new URLSearchParams({ id, outcome }).toString(),
  })
  if (status >= 400) throw new Error(`the development page answered ${status}`)
}
