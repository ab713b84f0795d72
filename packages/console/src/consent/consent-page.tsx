import './consent.css'
import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/consent/words.ts'
import { ChooseContent } from './choose-content.tsx'
import { Content } from './content.tsx'
import { Mine } from './mine.tsx'

/** What machines may do with a content: what is declared, and declaring it. */
export function ConsentPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Editor {...own} />}</SignedIn>
}

function Editor({ client, device }: Own) {
  const [identifier, setIdentifier] = useState('')
  // After a write, what shows the record reads it again.
  const [change, setChange] = useState(0)
  return (
    <div class="consent">
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <ChooseContent onChosen={setIdentifier} />
      {identifier === '' ? null : (
        <Content
          client={client}
          did={device.did}
          identifier={identifier}
          change={change}
          onChange={() => setChange((count) => count + 1)}
        />
      )}
      <Mine client={client} did={device.did} change={change} onOpen={setIdentifier} />
    </div>
  )
}
