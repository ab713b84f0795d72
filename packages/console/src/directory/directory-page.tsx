import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/directory/words.ts'
import { Audited } from './audited.tsx'
import { Published } from './published.tsx'

/** What the key directory publishes for an account, and whether its log proves that nothing was left out. */
export function DirectoryPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Directory {...own} />}</SignedIn>
}

function Directory({ client, device }: Own) {
  const [typed, setTyped] = useState(device.did)
  const [did, setDid] = useState(device.did)
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <section class="panel">
        <h2>{words.whose}</h2>
        <Form onSend={async () => setDid(typed.trim())}>
          <Field label={words.did} value={typed} onValue={setTyped} />
          <Button look="plain">{words.lookUp}</Button>
        </Form>
      </section>
      <Audited client={client} did={did} />
      <Published client={client} did={did} />
    </>
  )
}
