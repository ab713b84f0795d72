import type { ChainBlock, Client } from '@svc/client'
import { blockHash, isSigned, verifyBlockSignature } from '@svc/client/functions'
import { shownTextOf } from '@svc/client/text'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { sentenceOf } from '../failures/sentences.ts'
import { momentOf } from '../shell/dates.ts'
import { words } from '../words/chain/words.ts'

interface BlockProps {
  readonly block: ChainBlock
  readonly client: Client
}

/** One block; opened, with its members, and whether its signature holds. */
export function Block({ block, client }: BlockProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>{words.block(block.index)}</strong> {momentOf(Number(block.timestamp))}
          {block.contentType === undefined ? null : <span class="tag">{block.contentType}</span>}
        </summary>
        {isOpen ? <Members block={block} client={client} /> : null}
      </details>
    </li>
  )
}

const MEMBERS = ['previousHash', 'dataHash', 'metadataHash', 'ownerPublicKey', 'signatureAlg', 'version'] as const

function Members({ block, client }: BlockProps) {
  const [signature, setSignature] = useState<boolean | null>(null)
  if (signature === null && isSigned(block)) void verifyBlockSignature(block).then(setSignature)
  return (
    <>
      <dl>
        {isSigned(block) ? (
          <>
            <dt>{words.hash}</dt>
            <dd>
              <Exact>{blockHash(block)}</Exact>
            </dd>
            <dt>{words.signature}</dt>
            <dd>{signature === null ? words.checking : signature ? words.holds : words.fails}</dd>
          </>
        ) : null}
        {MEMBERS.map((name) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>
              <Exact>{shortened(String(block[name] ?? '—'))}</Exact>
            </dd>
          </>
        ))}
      </dl>
      <Payload block={block} client={client} />
    </>
  )
}

/** A key takes thousands of characters. */
const MOST = 128
const shortened = (text: string) => (text.length > MOST ? `${text.slice(0, MOST)}…` : text)

function Payload({ block, client }: BlockProps) {
  const [text, setText] = useState<string | null>(null)
  const show = async () => {
    const { bytes } = await client.chain.payload(block.index)
    const isText = block.contentType?.startsWith('text/') || block.contentType === 'application/json'
    return isText ? shownTextOf(bytes) : words.bytes(bytes.length)
  }
  if (text !== null) return <pre>{text}</pre>
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => void show().then(setText, (error: unknown) => setText(sentenceOf(error)))}
    >
      {words.payload}
    </button>
  )
}
