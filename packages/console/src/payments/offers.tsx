import type { Client } from '@svc/client'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { dayOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { language } from '../words/language.ts'
import { words } from '../words/payments/words.ts'
import { type Intent, type Offer, priceText } from './intent.ts'

const COUNT = new Intl.NumberFormat(language)

interface OffersProps {
  readonly client: Client
  readonly change: number
  readonly onIntent: (intent: Intent) => void
  readonly onChange: () => void
}

/** What can be bought, or changed to by somebody with a subscription. */
export function Offers({ client, change, onIntent, onChange }: OffersProps) {
  const task = useTask()
  const read = async () => {
    const [list, { grants }] = await Promise.all([client.pay.offers(), client.entitlement.current()])
    return { ...list, subscription: grants.find(({ source }) => source === 'subscription') }
  }
  const buy = async ({ sku }: Offer) => onIntent(await client.pay.intent(sku).catch(explained))
  const changeTo = async (id: string, { sku }: Offer) => {
    await client.entitlement.changePlan(id, sku)
    onChange()
    task.say(words.changed)
  }
  return (
    <Part title={words.offers} of={String(change)} read={read}>
      {({ offers, tiers, region, recommended, note, subscription }) => (
        <>
          <p>{words.prices(region)}</p>
          <ul class="list">
            {offers.map((offer) => (
              <li key={offer.sku}>
                <div>
                  <strong>{offer.display}</strong>
                  {offer.sku === recommended ? <span class="tag">{words.recommended}</span> : null}
                  <small>{priceText(offer)}</small>
                  <small>{limitsText(tiers.find(({ tier }) => tier === offer.tier))}</small>
                </div>
                {offer.kind === 'free' ? null : subscription && offer.kind === 'subscription' ? (
                  <Button
                    look="plain"
                    label={`${words.change}: ${offer.display}`}
                    onPress={() => changeTo(subscription.id, offer)}
                  >
                    {words.change}
                  </Button>
                ) : (
                  <Button look="plain" label={`${words.buy}: ${offer.display}`} onPress={() => buy(offer)}>
                    {words.buy}
                  </Button>
                )}
              </li>
            ))}
            {tiers
              .filter(({ availability }) => availability === 'contact')
              .map((tier) => (
                <li key={tier.tier}>
                  <div>
                    <strong>{words.tiers[tier.tier]}</strong>
                    <small>{words.onRequest}</small>
                    <small>{limitsText(tier)}</small>
                  </div>
                </li>
              ))}
          </ul>
          {note === undefined ? null : <p>{note}</p>}
        </>
      )}
    </Part>
  )
}

function limitsText(tier: { readonly limits: { readonly capsule: number; readonly search: number } } | undefined) {
  return tier === undefined ? null : words.limits(COUNT.format(tier.limits.capsule), COUNT.format(tier.limits.search))
}

/** Nobody pays twice for the same time. */
function explained(error: unknown): never {
  if (!(error instanceof Error) || !('error' in error) || !('details' in error)) throw error
  const { until } = error.details as { readonly until?: unknown }
  const isInTheWay = error.error === 'already_subscribed' || error.error === 'higher_tier'
  throw isInTheWay && typeof until === 'number' ? new SaidError(words.inTheWay(dayOf(until))) : error
}
