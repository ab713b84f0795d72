import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { Usage } from '../home/usage.tsx'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/payments/words.ts'
import { Code } from './code.tsx'
import type { Intent } from './intent.ts'
import { KeptAmounts } from './kept-amounts.tsx'
import { Offers } from './offers.tsx'
import { Payment } from './payment.tsx'
import { Plan } from './plan.tsx'

/** The plan of an identity: what gives it, what it allows, and buying another one. */
export function PaymentsPage(props: PageProps) {
  return <SignedIn {...props}>{({ client }) => <Payments client={client} />}</SignedIn>
}

function Payments({ client }: { readonly client: Client }) {
  const [intent, setIntent] = useState<Intent | null>(null)
  const [change, setChange] = useState(0)
  const changed = () => setChange((count) => count + 1)
  return (
    <>
      <Heading>{words.title}</Heading>
      <Plan client={client} change={change} onChange={changed} />
      {intent === null ? null : <Payment key={intent.id} client={client} intent={intent} onEnd={changed} />}
      <Code client={client} onRedeemed={changed} />
      <Usage key={change} client={client} />
      <KeptAmounts client={client} change={change} />
      <Offers client={client} change={change} onIntent={setIntent} onChange={changed} />
    </>
  )
}
