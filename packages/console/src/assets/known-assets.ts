import { databaseOf } from '../kept/database.ts'

const KEPT = 'assets'

/** The assets that this browser has minted or seen in the hands of an identity: the service has no list of them. */
export function knownAssets(did: string) {
  const store = databaseOf(`console-assets-${did}`)
  const all = async () => ((await store.get(KEPT)) as readonly string[] | undefined) ?? []
  return {
    all,
    async add(assetId: string): Promise<void> {
      await store.set(KEPT, [assetId, ...(await all()).filter((known) => known !== assetId)])
    },
  }
}
