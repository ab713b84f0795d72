import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Part } from '../shell/part.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/assets/words.ts'
import { Asset } from './asset.tsx'
import { knownAssets } from './known-assets.ts'
import { Mint } from './mint.tsx'

/** Files recorded as assets, who owns them, and giving them away. */
export function AssetsPage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Assets {...own} />}</SignedIn>
}

function Assets(own: Own) {
  const { did } = own.device
  const [typed, setTyped] = useState('')
  const [assetId, setAssetId] = useState('')
  const [change, setChange] = useState(0)
  const changed = () => setChange((count) => count + 1)
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <Mint
        {...own}
        onMinted={async (minted) => {
          await knownAssets(did).add(minted)
          setAssetId(minted)
          changed()
        }}
      />
      <section class="panel">
        <h2>{words.find}</h2>
        <Form
          onSend={async () => {
            setAssetId(typed.trim())
            changed()
          }}
        >
          <Field label={words.assetId} value={typed} onValue={setTyped} />
          <Button look="plain">{words.show}</Button>
        </Form>
      </section>
      {assetId === '' ? null : (
        <Asset
          {...own}
          assetId={assetId}
          change={change}
          onRead={(record) => (record.owner === did ? knownAssets(did).add(assetId) : Promise.resolve())}
          onChange={changed}
        />
      )}
      <Part title={words.known} of={String(change)} read={() => knownAssets(did).all()}>
        {(known) => (
          <>
            <p>{known.length === 0 ? words.none : words.knownLead}</p>
            <ul class="list">
              {known.map((id) => (
                <li key={id}>
                  <Exact class="id">{id}</Exact>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`${words.show} ${id}`}
                    onClick={() => {
                      setAssetId(id)
                      changed()
                    }}
                  >
                    {words.show}
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Part>
    </>
  )
}
