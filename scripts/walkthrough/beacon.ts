import { beaconSchema, headsEntrySchema } from '@svc/protocol/merkle/beacon'
import { entriesOf, rootOf, signersOf } from './note-verifier.ts'
import type { Show, World } from './world.ts'

/** Somebody who knows only C2SP's formats verifies the beacon and who cosigned it, and finds the logs of the platform in it. */
export async function beacon({ keys, core }: World, show: Show): Promise<void> {
  const prefix = `${keys}/api/transparency/beacon`
  const { data } = (await (await fetch(prefix)).json()) as { data: unknown }
  const { verifierKeys, witnesses } = beaconSchema.parse(data)
  const note = await (await fetch(`${prefix}/checkpoint`)).text()
  const [, size = '', root = ''] = note.split('\n')
  await show('anyone: verifies the beacon with Node’s cryptography only', 'Ed25519 and ML-DSA-44', async () =>
    signersOf(note, verifierKeys).length === 2 ? 'Ed25519 and ML-DSA-44' : 'signatures are missing',
  )
  for (const { url, verifierKeys: witnessKeys } of witnesses)
    await show('a witness: has cosigned the beacon', 'Ed25519 and ML-DSA-44', async () =>
      signersOf(note, witnessKeys).length === 2 ? 'Ed25519 and ML-DSA-44' : `not by ${url}`,
    )
  await show(
    'anyone: finds both logs in its last leaf',
    'anchors and transparency, the root is that of the entries',
    async () => {
      const entries: Buffer[] = []
      for (let from = 0; from < Number(size); from += 256) {
        const width = Math.min(256, Number(size) - from)
        const path = `${String(from / 256).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`
        const bundle = await fetch(`${prefix}/tile/entries/${path}`)
        entries.push(...entriesOf(Buffer.from(await bundle.arrayBuffer())))
      }
      const { heads } = headsEntrySchema.parse(JSON.parse(String(entries.at(-1))))
      const series = heads.flatMap(({ log }) => (log.startsWith(`${core}/`) ? [log.split('/').at(-2)] : []))
      const isSame = rootOf(entries).toString('base64') === root
      return `${series.join(' and ')}, the root is ${isSame ? 'that' : 'not that'} of the entries`
    },
  )
}
