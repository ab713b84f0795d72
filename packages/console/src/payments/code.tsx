import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { dayOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/payments/words.ts'

interface CodeProps {
  readonly client: Client
  readonly onRedeemed: () => void
}

/** As the service takes it: in any case, with or without hyphens and spaces. */
const CODE = /^[ -]*(?:[0-9A-TV-Za-tv-z][ -]*){16}$/

export function Code({ client, onRedeemed }: CodeProps) {
  const task = useTask()
  const [code, setCode] = useState('')
  const redeem = async () => {
    if (!CODE.test(code)) throw new SaidError(words.wrongCode)
    const { tier, periodEnd } = await client.entitlement.redeem(code).catch((error: unknown) => {
      const isUnusable = error instanceof Error && 'error' in error && error.error === 'code_unusable'
      throw isUnusable ? new SaidError(words.codeUnusable) : error
    })
    setCode('')
    onRedeemed()
    task.say(words.redeemed(words.tiers[tier], dayOf(periodEnd)))
  }
  return (
    <section class="panel">
      <h2>{words.code}</h2>
      <p>{words.codeLead}</p>
      <Form onSend={redeem}>
        <Field label={words.codeLabel} hint={words.codeHint} value={code} onValue={setCode} maxLength={64} />
        <Button>{words.redeem}</Button>
      </Form>
    </section>
  )
}
