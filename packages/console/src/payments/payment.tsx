import type { Client } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { words } from '../words/payments/words.ts'
import { type Intent, priceText } from './intent.ts'

const ASKS_EVERY_MS = 2500

interface PaymentProps {
  readonly client: Client
  readonly intent: Intent
  readonly onEnd: () => void
}

/** One payment, until it has ended. The person pays on a page of the provider, in a tab of its own. */
export function Payment({ client, intent, onEnd }: PaymentProps) {
  const [now, setNow] = useState(intent)
  const [fault, setFault] = useState('')
  const isOpen = now.state === 'open'
  useEffect(() => {
    if (!isOpen) return onEnd()
    const ask = async () => {
      if (document.visibilityState === 'hidden') return
      try {
        setNow(await client.pay.readIntent(intent.id))
        setFault('')
      } catch (error) {
        setFault(sentenceOf(error))
      }
    }
    const timer = setInterval(() => void ask(), ASKS_EVERY_MS)
    return () => clearInterval(timer)
  }, [isOpen])
  return (
    <section class="panel">
      <h2>{words.payment}</h2>
      <p>{words.payLead(now.offer.display, priceText(now.offer))}</p>
      <p role="status">{fault || words.states[now.state]}</p>
      {isOpen && now.checkoutUrl !== null ? (
        <div class="actions">
          <a class="button" href={now.checkoutUrl} target="_blank" rel="noopener noreferrer">
            {words.payHere}
          </a>
          <Button look="plain" onPress={async () => setNow(await client.pay.cancel(intent.id))}>
            {words.cancel}
          </Button>
        </div>
      ) : null}
    </section>
  )
}
