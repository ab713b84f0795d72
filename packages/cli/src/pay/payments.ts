import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, option, type Result } from '../result.ts'

export async function quota(context: Context): Promise<Result> {
  const client = await context.client()
  const meters = await client.quota.meters()
  const stored = await client.quota.stored()
  return {
    data: { meters, stored },
    text: [
      ...meters.map(
        ({ kind, used, limit, period, tier }) => `${kind.padEnd(10)} ${used} of ${limit} in ${period}, tier ${tier}`,
      ),
      ...(stored === null
        ? ['stored     not known now']
        : [
            `${'stored'.padEnd(10)} ${megabytes(stored.bytes.used)} of ${megabytes(stored.bytes.limit)} MB, tier ${stored.tier}`,
            `${'records'.padEnd(10)} ${stored.rows.used} of ${stored.rows.limit}, tier ${stored.tier}`,
          ]),
    ],
  }
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)

export async function offers(context: Context, given: Given): Promise<Result> {
  const found = await (await context.client('nobody')).pay.offers(option(given, 'country'))
  return { data: found, text: found.offers.map(({ sku, display, kind }) => `${sku.padEnd(20)} ${display}, ${kind}`) }
}

export async function intent(context: Context, given: Given): Promise<Result> {
  const sku = argument(given, 0)
  if (context.options.dryRun) return { data: { sku }, text: `Would start a payment for ${sku}.` }
  const [key, country] = [option(given, 'key'), option(given, 'country')]
  const started = await (await context.client()).pay.intent(sku, {
    ...(key !== undefined && { key }),
    ...(country !== undefined && { country }),
  })
  return {
    data: started,
    text: [`${started.id}, ${started.state}`, ...(started.checkoutUrl === null ? [] : [started.checkoutUrl])],
  }
}

export async function plan(context: Context): Promise<Result> {
  const current = await (await context.client()).entitlement.current()
  const { tier, source, renews, next } = current
  return { data: current, text: `${tier}, from ${source}; ${renews ? `then ${next}` : 'does not renew'}` }
}

export async function redeem(context: Context, given: Given): Promise<Result> {
  if (context.options.dryRun) return { data: {}, text: 'Would use the code.' }
  const grant = await (await context.client()).entitlement.redeem(argument(given, 0))
  return { data: grant, text: 'The code is used. svc pay status shows your plan.' }
}

export async function changePlan(context: Context, given: Given): Promise<Result> {
  const sku = argument(given, 0)
  const { entitlement } = await context.client()
  const renewing = (await entitlement.current()).grants.find(({ renews }) => renews)
  if (!renewing) throw usage('There is no subscription to change', `svc pay intent ${sku} starts one`)
  if (context.options.dryRun) return { data: {}, text: `Would change to ${sku}.` }
  await context.confirm(`Change your subscription to ${sku}? A higher plan is charged now.`)
  await entitlement.changePlan(renewing.id, sku)
  const current = await entitlement.current()
  return { data: current, text: `${current.tier} now, then ${current.next}` }
}
