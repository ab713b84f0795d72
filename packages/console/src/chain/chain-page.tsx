import './chain.css'
import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { download } from '../content/download.ts'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/chain/words.ts'
import { Block } from './block.tsx'

/** In one page of the explorer. */
const SHOWN = 20

/** The signed chain of the identity, verified in this browser. */
export function ChainPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Explorer {...own} />}</SignedIn>
}

function Explorer({ client, device }: Own) {
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Verification client={client} did={device.did} />
      <Blocks client={client} />
    </>
  )
}

function Verification({ client, did }: { readonly client: Client; readonly did: string }) {
  const task = useTask()
  const [head, setHead] = useState<{ readonly index: string; readonly hash: string } | null>(null)
  const verify = async () => {
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number | null }) =>
      task.say(words.progress(done, total ?? done))
    setHead(await client.chain.verify({ onProgress }))
    task.say(words.verified)
  }
  const save = async () => {
    const blocks: unknown[] = []
    for await (const block of client.chain.blocks()) blocks.push(block)
    download(`chain-${did.slice(-8)}.json`, { blocks })
  }
  return (
    <section class="panel">
      <h2>{words.verification}</h2>
      {head === null ? (
        <p>{words.verifyLead}</p>
      ) : (
        <p class="good">
          {words.valid(Number(head.index) + 1)} <Exact>{head.hash}</Exact>
        </p>
      )}
      <div class="actions">
        <Button look="plain" onPress={verify}>
          {words.verify}
        </Button>
        <Button look="plain" onPress={save}>
          {words.save}
        </Button>
      </div>
    </section>
  )
}

function Blocks({ client }: { readonly client: Client }) {
  // Null: the page with the newest block.
  const [from, setFrom] = useState<number | null>(null)
  const read = async () => {
    const { index } = await client.chain.head()
    const first = from ?? Math.max(0, Number(index) - SHOWN + 1)
    const { blocks } = await client.chain.page({ from: first, limit: SHOWN })
    return { first, head: Number(index), blocks: blocks.toReversed() }
  }
  return (
    <Part title={words.blocks} of={String(from)} read={read}>
      {({ first, head, blocks }) => (
        <>
          <ol class="blocks" reversed start={Number(blocks[0]?.index ?? 0)}>
            {blocks.map((block) => (
              <Block key={block.index} block={block} client={client} />
            ))}
          </ol>
          <div class="actions">
            {first > 0 ? (
              <button type="button" class="quiet" onClick={() => setFrom(Math.max(0, first - SHOWN))}>
                {words.older}
              </button>
            ) : null}
            {first + SHOWN <= head ? (
              <button type="button" class="quiet" onClick={() => setFrom(first + SHOWN)}>
                {words.newer}
              </button>
            ) : null}
          </div>
        </>
      )}
    </Part>
  )
}
