import { type Pixels, registerImage, registerVideo, searchImage, searchVideo } from '@svc/client/images'
import { newcomer, type Show, type World } from './world.ts'

/** Finding copies of an image and of a video by their fingerprints. */
export async function images({ urls, ...places }: World, show: Show): Promise<void> {
  const provenance = urls['provenance'] ?? ''
  const [erin, frank] = [await newcomer({ ...places, provenance }), await newcomer({ ...places, provenance })]
  for (const { client } of [erin, frank]) await client.chain.genesis()
  // New pictures for each run, because the state may have those of an earlier one.
  const [seed, others] = [chance(), chance()]
  const file = crypto.getRandomValues(new Uint8Array(64))
  const picture = painted(seed, 480, 360)
  let assetId = ''
  await show('erin: registers an image by 256 signs', 'image, 480 by 360, pdq', async () => {
    ;({ assetId } = await registerImage(erin.client.provenance, file, picture, { mime: 'image/png' }))
    const { capsule } = await frank.client.provenance.capsule(assetId)
    const { media, perceptual, kind } = capsule
    return `${kind}, ${media.width} by ${media.height}, ${perceptual?.algo}`
  })
  const found = async (pixels: Pixels, options = {}) => {
    const matches = await searchImage(frank.client.provenance, pixels, options)
    const match = matches.find((one) => one.assetId === assetId)
    return match ? `found, ${match.orientation}` : 'not found'
  }
  await show('frank: finds it by a smaller copy in few colours', 'found, original', () =>
    found(coarsened(painted(seed, 320, 240))),
  )
  await show('frank: finds it by a mirrored copy', 'not found, then found, flipY', async () => {
    const copy = mirrored(picture)
    return `${await found(copy)}, then ${await found(copy, { orientations: true })}`
  })
  await show('frank: does not find it by another picture', 'not found', () => found(painted(others, 480, 360)))
  await show('must fail: an image without detail', 'RangeError', () =>
    found({ data: new Uint8Array(40_000).fill(200), width: 100, height: 100 }).catch((error: Error) => error.name),
  )
  const film = (scenes: readonly number[]) =>
    scenes.map((scene, i) => ({ atMs: i * 1000, pixels: painted(seed + scene, 160, 120) }))
  await show(
    'erin: registers a video, and frank finds a clip of it',
    'found, all of the clip, from second 1',
    async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(64))
      const facts = { mime: 'video/mp4', durationMs: 4000 }
      const registered = await registerVideo(erin.client.provenance, bytes, film([1, 2, 3, 4]), facts)
      const matches = await searchVideo(frank.client.provenance, film([2, 3]), { clip: true })
      const match = matches.find((one) => one.assetId === registered.assetId)
      if (!match) return 'not found'
      return `found, ${match.score === 1 ? 'all' : 'a part'} of the clip, from second ${(match.frames[0]?.atMs ?? 0) / 1000}`
    },
  )
  await show('frank: reads the model of this deployment', 'an ONNX file that matches its hash', async () => {
    const { artefacts } = await frank.client.provenance.models()
    const artefact = artefacts.find(({ file: name }) => name.endsWith('.onnx'))
    if (!artefact) return 'no model'
    const bytes = await frank.client.provenance.model(artefact)
    return bytes.length === artefact.bytes ? 'an ONNX file that matches its hash' : 'another length'
  })
}

function chance(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1
}

/** A picture of its seed: soft areas of colour in front of each other. */
function painted(seed: number, width: number, height: number): Pixels {
  let state = Math.imul(seed, 2_654_435_761) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const areas = Array.from({ length: 24 }, () => ({
    x: next(),
    y: next(),
    across: 0.05 + 0.3 * next(),
    colour: [255 * next(), 255 * next(), 255 * next()],
  }))
  const data = new Uint8Array(4 * width * height).fill(255)
  for (let at = 0; at < data.length; at += 4) {
    const [x, y] = [((at / 4) % width) / width, Math.floor(at / 4 / width) / height]
    for (const area of areas) {
      const away = Math.hypot(x - area.x, y - area.y) / area.across
      if (away < 1) for (let i = 0; i < 3; i++) data[at + i] = area.colour[i]! * (1 - away / 3)
    }
  }
  return { data, width, height }
}

/** Thirty-two levels of each colour. With eight, two random pictures of a hundred are too far from their copies. */
function coarsened({ data, ...size }: Pixels): Pixels {
  return { data: data.map((value, at) => (at % 4 === 3 ? value : (value & 0xf8) + 4)), ...size }
}

function mirrored({ data, width, height }: Pixels): Pixels {
  const out = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at += 4) {
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)]
    out.set(data.subarray(at, at + 4), 4 * (y * width + width - 1 - x))
  }
  return { data: out, width, height }
}
