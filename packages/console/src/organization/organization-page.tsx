import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/organization/words.ts'
import { Acceptance } from './acceptance.tsx'
import { Bindings } from './bindings.tsx'
import { Roster } from './roster.tsx'

/** What this identity is a member of, and its own members if it is an organization. */
export function OrganizationPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Organizations {...own} />}</SignedIn>
}

function Organizations(own: Own) {
  const [change, setChange] = useState(0)
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Bindings client={own.client} />
      <Acceptance {...own} />
      <Roster {...own} change={change} onChange={() => setChange((count) => count + 1)} />
    </>
  )
}
