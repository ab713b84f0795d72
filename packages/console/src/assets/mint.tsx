import { hashOfBlob } from '@svc/client/functions'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { FileField } from '../shell/file-field.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/assets/words.ts'

interface MintProps extends Own {
  readonly onMinted: (assetId: string) => Promise<void>
}

interface Chosen {
  readonly mime: string
  readonly bytes: number
  readonly metadataHash: string
}

/** Records a file of this device as an asset: its media type, size and hash, signed by the root key. */
export function Mint({ core, rootLock, onMinted }: MintProps) {
  const task = useTask()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const choose = async (file: File) => {
    const mime = file.type === '' ? 'application/octet-stream' : file.type
    const metadataHash = await hashOfBlob(file)
    setChosen({ mime, bytes: file.size, metadataHash })
  }
  return (
    <section class="panel">
      <h2>{words.mint}</h2>
      <FileField
        label={words.file}
        hint={words.fileHint}
        onFile={(file) => void (file && task.run(() => choose(file)))}
      />
      {chosen === null ? null : (
        <>
          <dl>
            <dt>{words.media}</dt>
            <dd>{words.mediaOf(chosen.mime, chosen.bytes)}</dd>
            <dt>{words.hash}</dt>
            <dd>
              <Exact>{chosen.metadataHash}</Exact>
            </dd>
          </dl>
          <RootAct
            core={core}
            rootLock={rootLock}
            action={words.mintIt}
            onAct={async (client) => {
              const { mime, bytes, metadataHash } = chosen
              const { asset } = await client.assets.mint({ media: { mime, bytes }, metadataHash })
              setChosen(null)
              task.say(words.minted)
              await onMinted(asset.assetId)
            }}
          />
        </>
      )}
    </section>
  )
}
