/** What the reference implementation of PDQ computes from the same pixels. Its authors ask of another one the same hash. */
export const REFERENCE_COMMIT = 'facebook/ThreatExchange baefb4ed67b6cdc1d4c82dbaef858d50866ac424, pdq/cpp'

interface Vector {
  readonly made: 'picture' | 'noise' | 'plain'
  /** Of the picture or the noise; the grey of a plain one. */
  readonly seed: number
  readonly width: number
  readonly height: number
  readonly quality: number
  /** In the order of `ORIENTATIONS`, or the first alone. */
  readonly hashes: readonly string[]
}

export const VECTORS: readonly Vector[] = [
  {
    made: 'picture',
    seed: 1,
    width: 64,
    height: 64,
    quality: 96,
    hashes: ['4c628ce634a46467995b96d9b694de6cd8431ccb4c67496d6d98c532333535af'],
  },
  {
    made: 'picture',
    seed: 2,
    width: 128,
    height: 96,
    quality: 97,
    hashes: ['001b003807be01cd1a611c43a3cece39df09dbcd1deefe63f8c1d31cc73c7c37'],
  },
  {
    made: 'picture',
    seed: 3,
    width: 333,
    height: 217,
    quality: 90,
    hashes: [
      '93ce6d719dee6421daccd6b354ac64b14623d9ec6623364aa65399dce022e653',
      'ac4fa01c513b51ab6844884688b95fbbaf4457a257e2baf2aa5455bba4bbaa56',
      'c69bc09b889bce8b87997c1901f9ce1b1376330631769860f3063376b5774cf9',
      'f91a0ab6046efb017d1162ecddecf511fa11fd0802b71058ff01ff11f1ee00fc',
      '93ce9fce9dce9bdedacc2b4c54ac9b4e462326136623c9b5a6536623e02219ac',
      'c69b3964c89b31748f9981e601f931e413768cb93376631ff306cc89b577b306',
      'ac4f5fe3513bae54684477b98cb9e044af44e85d77e2450daa54aa44a4bb55a9',
      'f91ad509046e04fe35119d0399cc0aeefa0102b702b7efa7ff0100eef1eeff03',
    ],
  },
  {
    made: 'picture',
    seed: 4,
    width: 512,
    height: 512,
    quality: 97,
    hashes: [
      '2b569556ab75f4a96954da5a55a96ad9553b0b54953665a99a52895685d46ca9',
      'feeee56eb931ad57ad4dad4cad681509139313b132b1121117911799c4eccc6e',
      'fe033ffcfe20fe0b3e0170f080fcc07380eea1fee263cf03cf0723fcd081c603',
      '213b4ae4ec4403fdf81807e6f01dbfa34646b81b67e4b8bb42c4bd3391f966c4',
      '2b566aa9ab750b56695425a555a99526553b74abd5369a569a5276a985d49356',
      'fe03c003fe20a1fcbe01df0f80fc7fcc80eede03e26330fccf07dc03d08139fc',
      '742e1f91b91156a8ad4d52b3a548eaf61313ed4e32b1edee1791e866c4ac3391',
      'b3fbb53bfc64fc02f818f819f83d405c46c647e467e4474452c442cc91f9993b',
    ],
  },
  {
    made: 'picture',
    seed: 5,
    width: 640,
    height: 480,
    quality: 69,
    hashes: ['6d3a4e0191fc0b27b4b246dc9c0da1a67f03c0fcde07b3b2ec5bfc8413b6681b'],
  },
  {
    made: 'picture',
    seed: 6,
    width: 1000,
    height: 1003,
    quality: 87,
    hashes: ['f3990d668e74cd7a39a638e7556ac399c19c32540cf11c58aac651e6d5ebaa1c'],
  },
  {
    made: 'picture',
    seed: 7,
    width: 65,
    height: 300,
    quality: 100,
    hashes: ['8ce3ee718500310cf42776ee1fa887bb913dbf00b1ec848fb1c8ed91041f3b6f'],
  },
  {
    made: 'picture',
    seed: 8,
    width: 5,
    height: 5,
    quality: 37,
    hashes: [
      '6a5a64d995a493a46c9bc4f16c5b3b0e93246c5b6a5a64d995a593a46cdbc4f1',
      '348d318ccb72ce73cb7291a4d1b4ce737c1f398c348d318ccb72ce738b62b1a4',
      '3e0fc473c0f0390e39ce6e5b390e91a4c671c6f13f0fc473c0f0390e398e6e5b',
      '61d89b269e2764d99e273b0ec4f164d9294a932661d89b269e2764d9de371b0e',
      '6a5a932695a46c5b6c9b3b0e6c5bc4f1932493a46a5a932695a56c5b6cdb3b0e',
      '3f0f3b8cc0f1c6f139ce91a4390e6e5bc671390e3f0f3b8cc0f0c6f1398e91a4',
      '348dce73cb72318c8b626e5b91a4318c7c1fc673348dce73cb72318c8b624e5b',
      '61d864d99e279b269e27c4f184e11b26294a6cd961d864d99e279b26de37c4f1',
    ],
  },
  {
    made: 'picture',
    seed: 9,
    width: 20,
    height: 700,
    quality: 89,
    hashes: ['f374fa64db295ea96fa87528753645164d166494ecd0e6c02e992e08da0bf3c7'],
  },
  {
    made: 'noise',
    seed: 10,
    width: 1920,
    height: 1080,
    quality: 70,
    hashes: ['cbe31e64f04a4014c416fdb7b9557f28c39ef8e7fdb894075051bc1b938d8123'],
  },
  {
    made: 'picture',
    seed: 11,
    width: 129,
    height: 127,
    quality: 79,
    hashes: ['798d21b4be788e3869cc319d9e838e137e61319c31f28e7a8f29f081539fce52'],
  },
  {
    made: 'picture',
    seed: 12,
    width: 63,
    height: 64,
    quality: 100,
    hashes: ['bd34a61c494cb3a787d28f2472eb7c2b362de4d816814927b1f78e58e92470eb'],
  },
  {
    made: 'picture',
    seed: 14,
    width: 7,
    height: 5,
    quality: 79,
    hashes: ['34d8c6d3cb259926907e97c290de683d6f816cdd34d8c6d3cb259326907e97c2'],
  },
  {
    made: 'noise',
    seed: 1,
    width: 200,
    height: 200,
    quality: 100,
    hashes: ['93a72aeb7a6225c1981113b29e3fc2582a3d46e5ba0892fda0ea380dc7b9bef5'],
  },
  {
    made: 'noise',
    seed: 2,
    width: 64,
    height: 64,
    quality: 100,
    hashes: ['97accbb611becb7cf21161c2b6592b1a439500e3c5b1e206b787d8d4f1c3e746'],
  },
  {
    made: 'noise',
    seed: 3,
    width: 777,
    height: 31,
    quality: 100,
    hashes: [
      'e58d40e1f5880cbc1a1687b7b1356ffa68426446e879836dfd93c17cdc9c270e',
      'a63e1e11a3e9d5f519aacabc0c115ce2f50afe0b5734f0d1a13761a80dc93dc7',
      'b4d8ea4ba0dda61e4f432c1ce460c7583d17ceecbd2c29c7a8c66bd689c98da4',
      'f36bb4bb76bc7f5f4cff60165944f648a05714a102614a7be462cb02589c936d',
      'c18dbf1ef588f3431a167948b135920568429bb9e8797c92f9133e83dc9cd8f1',
      'b4d815f4a0dd59f14f43d3e3e46038af3d173113bd2cd638acc6942989c9725b',
      'a63ee1eea3e92a0a19aab54b0d11a71df50a41f457341f2eb1379e570dc9c638',
      'f36b4b44f6bc80a04cff9fe1594409b7a05feb5e0261b584f56234fd589c6892',
    ],
  },
  {
    made: 'plain',
    seed: 128,
    width: 100,
    height: 100,
    quality: 0,
    hashes: ['000000002c4b11342c4b2c4b0000554b00002c4b113411342c4b585e2c4b017e'],
  },
  {
    made: 'plain',
    seed: 0,
    width: 70,
    height: 90,
    quality: 0,
    hashes: ['0000000000000000000000000000000000000000000000000000000000000000'],
  },
  {
    made: 'picture',
    seed: 1,
    width: 4,
    height: 100,
    quality: 0,
    hashes: ['0000000000000000000000000000000000000000000000000000000000000000'],
  },
]

/**
 * The hashes that the authors publish for a photograph of a bridge and its seven turned and mirrored copies, each computed
 * from a file of its own (pdq/cpp/bin/README.md), in the order of `ORIENTATIONS`.
 */
export const PUBLISHED_BRIDGE: readonly string[] = [
  'f8f8f0cce0f4e84d0e370a22028f67f0b36e2ed596623e1d33e6339c4e9c9b22',
  'b0a10efd71cc3f429413d48d0ffffe12e34e0e17ada952a9d29684210aa9e5af',
  'adad5a64b5a142e55362a09057dacd5ae63b847fc23794b766b319361fc93188',
  'a5f4a457a48995e8c9065c275aaa5498b61ba4bdf8fcf80387c32f8b0bfc4f05',
  'f8f80f31e0f417b00e37f5cd028f980fb36ed02a9662c1e233e6cc634e9c64dd',
  '8dad2599b1a1bd1853625f6553da32a1e63b7280c2374b4866b366c91bc9ce77',
  'f0a1f102f1dcc0bd9c5309720fff018de34ef1e8ada9a956d2967ade0ea91a50',
  'a5f05ba8a4896a17c106a3da5aaaab07b61b5b42f8fc07fc83c3d0740bfcb0fa',
]
