import type { Operator } from '@svc/client/operator'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { Button } from '../shell/button.tsx'
import { dayOf } from '../shell/dates.ts'
import { Form } from '../shell/form.tsx'
import { words } from '../words/operator/words.ts'
import { signedByOperator } from './refused.ts'
import { Terms, termsOf, USUAL_TERMS } from './terms.tsx'

export function Codes({ operator }: { readonly operator: Operator }) {
  const [terms, setTerms] = useState(USUAL_TERMS)
  const [issued, setIssued] = useState<Awaited<ReturnType<Operator['issueCode']>> | null>(null)
  const issue = async () => setIssued(await signedByOperator(operator.issueCode(termsOf(terms))))
  return (
    <section class="panel">
      <h2>{words.codes}</h2>
      <p>{words.codesLead}</p>
      <Form onSend={issue}>
        <Terms terms={terms} onTerms={setTerms} />
        <Button look="plain">{words.issue}</Button>
      </Form>
      {issued === null ? null : (
        <>
          <Exact class="code" name="issued code">
            {issued.code}
          </Exact>
          <p>{words.issued(dayOf(issued.redeemableUntil))}</p>
        </>
      )}
    </section>
  )
}
