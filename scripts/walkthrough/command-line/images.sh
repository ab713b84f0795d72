# Copies of an image and of a video are found by what they look like.
newcomer erin --local
picture() {
  "$node" --disable-warning=ExperimentalWarning "$parts/picture.ts" "$@"
}
seed=$(($$ + $(date +%s)))
picture "$seed" 480 360 "$world/erin/photo.png"
mkdir -p "$world/searcher"
step 'searcher: uses the deployment' 0 searcher init --core "$core"
picture "$seed" 320 240 "$world/searcher/copy.png" coarse
picture "$seed" 480 360 "$world/searcher/mirrored.png" mirrored
picture "$((seed + 1000000))" 480 360 "$world/searcher/other.png"
picture 0 100 100 "$world/searcher/plain.png" plain
step 'erin: registers an image by 256 bits' 0 erin image register photo.png
asset=$(field assetId)
step 'anyone: reads what is registered' 0 anyone capsule open "$asset"
says 'anyone: with its size' capsule.media.width 480
step 'searcher: finds it by a smaller copy in few colours' 0 searcher image search copy.png
says 'searcher: the same' matches.0.assetId "$asset"
step 'searcher: does not find it by a mirrored copy' 0 searcher image search mirrored.png
holds_not 'searcher: not this one' "$asset"
step 'searcher: finds it when turned and mirrored too' 0 searcher image search mirrored.png --orientations
says 'searcher: mirrored' matches.0.orientation flipY
step 'searcher: does not find it by another picture' 0 searcher image search other.png
holds_not 'searcher: not by that' "$asset"
refused 'must fail: an image without detail' usage searcher image search plain.png
refused 'must fail: a file of another kind' usage searcher image search ../passphrase
# A model computes vectors of parts; here they are random, and three of 256 values of the crop differ.
"$node" -e '
  const part = Array.from({ length: 256 }, () => (Math.random() < 0.5 ? 1 : -1))
  const write = (file, vector) => require("node:fs").writeFileSync(file, JSON.stringify({ fragment: [vector] }))
  write(process.argv[1], part)
  write(process.argv[2], part.map((value, at) => (at < 3 ? -value : value)))
' -- "$world/erin/parts.json" "$world/searcher/crop.json"
head -c 64 /dev/urandom >"$world/erin/poster.png"
step 'erin: registers an image by the vectors of a part' 0 erin capsule sign poster.png --mime image/png --vectors parts.json
poster=$(field assetId)
step 'searcher: finds it by a crop of it' 0 searcher capsule search crop.json
says 'searcher: that image' matches.0.asset_id "$poster"
says 'searcher: three of 256 values differ' matches.0.vectors.0.distance 3
refused 'must fail: vectors that are none' usage searcher capsule search ../passphrase
for scene in 1 2 3 4; do picture "$((seed + scene))" 160 120 "$world/erin/frame-$scene.png"; done
head -c 64 /dev/urandom >"$world/erin/film.mp4"
step 'erin: registers a video by its frames' 0 erin video register film.mp4 --frames frame-1.png frame-2.png frame-3.png frame-4.png
film=$(field assetId)
for scene in 2 3; do hand "frame-$scene.png" erin searcher; done
step 'searcher: finds it by a clip' 0 searcher video search --frames frame-2.png frame-3.png --clip
says 'searcher: that video' matches.0.assetId "$film"
says 'searcher: from its second second' matches.0.frames.0.atMs 1000
step 'searcher: lists the models of the deployment' 0 searcher image models
model=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).models.find(({ file }) => file.endsWith(".onnx")).file' "$world/out")
step 'searcher: downloads one, which has its hash' 0 searcher image models --get "$model" --out model.onnx
runtime=$("$node" --disable-warning=ExperimentalWarning -e 'import(process.argv[1]).then(({ installedRuntime }) => process.stdout.write(installedRuntime().version))' "$root/scripts/platform/provision-files.ts")
step 'anyone: reads a range of the runtime for the models, from another origin' 0 anyone request GET "$(service provenance)/ort/$runtime/ort-wasm-simd-threaded.wasm" --header range=bytes=0-3 origin=https://stranger.example
says 'anyone: 206' status 206
says 'anyone: its type' headers.content-type application/wasm
says 'anyone: that origin cannot read it' headers.access-control-allow-origin none
