import { serviceErrorOf } from '@svc/client/functions'
import { readAct, sendOperatorAct, takedownAct } from '@svc/operations/operator-act'
import { installedRuntime } from '@svc/platform/provision-files'
import { LOCAL_ORIGIN, named, newcomer, ownAddress, type Show, type World } from './world.ts'

const POEM = `The sea lay flat and grey that winter morning, and nobody in the harbour town believed the pilot when he said
that the old lightship had moved in the night. It had been anchored off the sandbank for ninety years. Children drew it
on their slates, and widows set their clocks by the lamp. Yet from the church tower you could see that the red hull
stood nearer to the river mouth than ever before, and that its chain was wet with weed that grows in deep water only.`
const EXCERPT = POEM.split(/\s+/).slice(20, 60).join(' ').toUpperCase()

/** Finding a text by vectors alone, and files that match their hashes. */
export async function similarity({ urls, ...places }: World, show: Show): Promise<void> {
  const provenance = urls['provenance'] ?? ''
  const [carol, dave] = [await newcomer({ ...places, provenance }), await newcomer({ ...places, provenance })]
  for (const { client } of [carol, dave]) await client.chain.genesis()
  // A new id for each run, because the state may have the text from an earlier one.
  const text = `${POEM} ${crypto.randomUUID()} ${crypto.randomUUID()}`
  let assetId = ''
  await show('carol: registers a poem without sending a word of it', 'registered', async () => {
    const registered = await carol.client.provenance.registerText(text)
    assetId = registered.asset_id
    return registered.duplicate ? 'duplicate' : 'registered'
  })
  await show('dave: registers the same poem at no cost', 'duplicate, 0 used', async () => {
    const { duplicate } = await dave.client.provenance.registerText(text)
    const meter = (await dave.client.quota.meters()).find(({ kind }) => kind === 'capsule')
    return `${duplicate ? 'duplicate' : 'registered'}, ${meter?.used} used`
  })
  await show('dave: finds the source of forty words', 'found, in words of the poem', async () => {
    const { matches } = await dave.client.provenance.searchText(EXCERPT)
    const match = matches.find(({ asset_id }) => asset_id === assetId)
    const isSpan = match?.spans.every(({ start, words }) => start + words <= match.word_count)
    return match && match.score > 0.4 && isSpan ? 'found, in words of the poem' : 'not found'
  })
  await show('carol: finds an image by a crop of it', 'found, 3 of 256 values differ', async () => {
    const part = Array.from(crypto.getRandomValues(new Uint8Array(256)), (byte) => (byte & 1 ? 1 : -1))
    const file = crypto.getRandomValues(new Uint8Array(64))
    const signed = await carol.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
    await carol.client.provenance.register(signed, { vectors: { fragment: [part] } })
    const near = part.map((value, i) => (i < 3 ? -value : value))
    const [match] = (await carol.client.provenance.search('fragment', [near])).matches
    return match?.asset_id === signed.capsule.assetId
      ? `found, ${match.vectors[0]?.distance} of 256 values differ`
      : 'lost'
  })
  await show('must fail: prose instead of vectors', '400 prose_rejected', async () => {
    const response = await fetch(`${provenance}/api/query/text`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ownAddress() },
      body: JSON.stringify({ text: 'The sea lay flat' }),
    })
    return named(serviceErrorOf(response.status, await response.json(), response.headers))
  })
  await show('must fail: an eleventh search in a minute without an identity', '10 answered, then 429', async () => {
    const body = JSON.stringify({ vectors: [Array<number>(256).fill(1)] })
    const minute = () => Math.floor(Date.now() / 60_000)
    // The counter starts again with the minute.
    for (;;) {
      const headers = { 'content-type': 'application/json', ...ownAddress() }
      const begun = minute()
      const search = async () =>
        (await fetch(`${provenance}/api/search/semantic`, { method: 'POST', headers, body })).status
      let answered = 0
      let status = await search()
      for (; status === 200; status = await search()) answered += 1
      if (minute() === begun) return `${answered} answered, then ${status}`
    }
  })
  await show('carol: reads back a keypoint blob', 'as it was', async () => {
    const blob = crypto.getRandomValues(new Uint8Array(4_096))
    const { hash } = await carol.client.provenance.uploadKeypoints(blob)
    const back = await dave.client.provenance.keypoints(hash)
    return back.every((byte, i) => byte === blob[i]) ? 'as it was' : 'changed'
  })
  await show('carol: deletes her registration of an image', 'read, then 404 not_found', async () => {
    const file = crypto.getRandomValues(new Uint8Array(64))
    const signed = await carol.client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
    const { assetId: id } = await carol.client.provenance.register(signed)
    const reads = () => dave.client.provenance.capsule(id).then(() => 'read', named)
    const before = await reads()
    await carol.client.provenance.deleteCapsule(id)
    return `${before}, then ${await reads()}`
  })
  await show('dave: deletes his own keypoint blob', 'read, then 404 not_found', async () => {
    const { hash } = await dave.client.provenance.uploadKeypoints(crypto.getRandomValues(new Uint8Array(512)))
    const reads = () => carol.client.provenance.keypoints(hash).then(() => 'read', named)
    const before = await reads()
    await dave.client.provenance.deleteKeypoints(hash)
    return `${before}, then ${await reads()}`
  })
  await show('dave: deletes his registration of the poem, and carol’s stays', 'found', async () => {
    await dave.client.provenance.deleteText(assetId)
    const { matches } = await dave.client.provenance.searchText(EXCERPT)
    return matches.some(({ asset_id }) => asset_id === assetId) ? 'found' : 'not found'
  })
  const listed = async (words: readonly string[], id: string) => {
    const read = readAct(words)
    if (!read) return 'no read'
    const { core: realm, secrets } = places
    const answer = await sendOperatorAct({ service: provenance, realm }, secrets.operatorSeed, read)
    return `${answer.status}, ${(await answer.text()).includes(id) ? 'with' : 'without'} the poem`
  }
  await show('operator: lists what the registrant of the poem registered', '200, with the poem', () =>
    listed(['texts', 'list', assetId], assetId),
  )
  await show('operator: takes the poem down', '200, taken_down, court_order', async () => {
    const act = takedownAct(['provenance', 'text', assetId, 'court_order'])
    if (!act) return 'no act'
    const { status } = await sendOperatorAct(
      { service: provenance, realm: places.core },
      places.secrets.operatorSeed,
      act,
    )
    const again = await dave.client.provenance.registerText(text).then(() => 'registered', named)
    for await (const { subject, reason } of carol.client.provenance.takedowns()) {
      if (subject.id === assetId) return `${status}, ${again.split(' ')[1]}, ${reason}`
    }
    return `${status}, ${again}, not listed`
  })
  await show('operator: lists what was taken down at provenance', '200, with the poem', () =>
    listed(['takedowns', 'list', 'provenance'], assetId),
  )
  await show(
    'anyone: reads a range of the models’ runtime; other origins cannot',
    '206, application/wasm, null',
    async () => {
      const { version } = installedRuntime()
      const response = await fetch(`${provenance}/ort/${version}/ort-wasm-simd-threaded.wasm`, {
        headers: { range: 'bytes=0-3', origin: `${LOCAL_ORIGIN}.stranger.example` },
      })
      await response.body?.cancel()
      const { headers, status } = response
      return `${status}, ${headers.get('content-type')}, ${headers.get('access-control-allow-origin')}`
    },
  )
}
