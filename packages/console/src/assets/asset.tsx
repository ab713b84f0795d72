import type { ReadAsset } from '@svc/client'
import { useState } from 'preact/hooks'
import { download } from '../content/download.ts'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/assets/words.ts'

interface AssetProps extends Own {
  readonly assetId: string
  readonly change: number
  readonly onRead: (record: ReadAsset['record']) => Promise<void>
  readonly onChange: () => void
}

/** One asset with its history, whether its owner is proved, and giving it away. */
export function Asset({ client, device, assetId, change, onRead, onChange, ...root }: AssetProps) {
  const task = useTask()
  const [to, setTo] = useState('')
  const read = async () => {
    const asset = await client.assets.read(assetId)
    await onRead(asset.record)
    return asset
  }
  const save = async () => {
    const { record, transfers } = await client.assets.export(assetId)
    download('asset.json', { record, transfers })
  }
  return (
    <Part title={words.asset} of={`${assetId}.${change}`} read={read}>
      {({ record, proof }) => (
        <>
          <p class={proof.owner === 'proved' ? 'good' : 'open'}>
            {proof.owner === 'proved' ? words.proved : words.claimed}
          </p>
          <dl>
            <dt>{words.assetId}</dt>
            <dd>
              <Exact>{assetId}</Exact>
            </dd>
            <dt>{words.owner}</dt>
            <dd>
              <Exact>{record.owner}</Exact>
            </dd>
            <dt>{words.media}</dt>
            <dd>{words.mediaOf(record.asset.media.mime, record.asset.media.bytes ?? null)}</dd>
            <dt>{words.hash}</dt>
            <dd>
              <Exact>{record.asset.metadataHash}</Exact>
            </dd>
          </dl>
          <h3>{words.history}</h3>
          <ol>
            <li>{words.mintedOn(momentOf(Date.parse(record.createdAt)))}</li>
            {(record.transfers ?? []).map(({ header }) => (
              <li key={header.timestamp}>
                {words.givenOn(momentOf(Date.parse(header.timestamp)))} <Exact>{header.to}</Exact>
              </li>
            ))}
          </ol>
          {record.owner === device.did ? (
            <>
              <div class="actions">
                <Button look="plain" onPress={save}>
                  {words.save}
                </Button>
              </div>
              <h3>{words.give}</h3>
              <p>{words.giveLead}</p>
              <Field label={words.to} value={to} onValue={setTo} />
              <RootAct
                {...root}
                action={words.giveIt}
                onAct={async (by) => {
                  await by.assets.transfer(assetId, to.trim())
                  task.say(words.given)
                  onChange()
                }}
              />
            </>
          ) : null}
        </>
      )}
    </Part>
  )
}
