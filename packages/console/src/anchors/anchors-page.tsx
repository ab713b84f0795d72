import { useState } from 'preact/hooks'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/anchors/words.ts'
import { AnchorFile } from './anchor-file.tsx'
import { MyAnchors } from './my-anchors.tsx'

/** Proves later that a file was there now: its hash goes into the public log. */
export function AnchorsPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Anchors {...own} />}</SignedIn>
}

function Anchors(own: Own) {
  const [change, setChange] = useState(0)
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <AnchorFile {...own} onAnchored={() => setChange((count) => count + 1)} />
      <MyAnchors client={own.client} did={own.device.did} change={change} />
    </>
  )
}
