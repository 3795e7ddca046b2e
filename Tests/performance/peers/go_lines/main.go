// A JSON-RPC server for lines in Go: a goroutine for each connection, encoding/json, one write for each read.
//
//	go_lines SOCKET [NOTES [BYTES]]: each publish sends so many notifications of so many bytes.
package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

type result struct {
	OK bool `json:"ok"`
	V  int  `json:"v"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  *result         `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type padding struct {
	Pad string `json:"pad"`
}

type note struct {
	Version string  `json:"jsonrpc"`
	Method  string  `json:"method"`
	Params  padding `json:"params"`
}

type client struct {
	mutex sync.Mutex
	net.Conn
}

func (to *client) send(bytes []byte) {
	to.mutex.Lock()
	defer to.mutex.Unlock()
	_, _ = to.Write(bytes)
}

var (
	mutex       sync.RWMutex
	subscribers = map[*client]bool{}
	notes       = argument(2, 1)
	noteBytes   = argument(3, 80)
)

func argument(place, otherwise int) int {
	if len(os.Args) <= place {
		return otherwise
	}
	number, err := strconv.Atoi(os.Args[place])
	if err != nil {
		panic(err)
	}
	return number
}

func encoded(value any) []byte {
	bytes, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(bytes, '\n')
}

func publish() {
	frame := len(encoded(note{"2.0", "event", padding{}}))
	pad := strings.Repeat("x", max(0, noteBytes-frame))
	mutex.RLock()
	defer mutex.RUnlock()
	for count := 0; count < notes; count++ {
		line := encoded(note{"2.0", "event", padding{pad}})
		for subscriber := range subscribers {
			subscriber.send(line)
		}
	}
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func answer(from *client, line []byte) reply {
	var call call
	if json.Unmarshal(line, &call) != nil {
		return reply{Version: "2.0", Error: &failure{-32700, "Parse error"}}
	}
	switch call.Method {
	case "ping":
	case "subscribe":
		mutex.Lock()
		subscribers[from] = true
		mutex.Unlock()
	case "publish":
		publish()
	default:
		return reply{Version: "2.0", ID: call.ID, Error: &failure{-32601, "Method not found"}}
	}
	return reply{Version: "2.0", ID: call.ID, Result: &result{true, 42}}
}

func serve(from *client) {
	defer func() {
		mutex.Lock()
		delete(subscribers, from)
		mutex.Unlock()
		from.Close()
	}()
	reader := bufio.NewReaderSize(from, 65536)
	var out []byte
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return
		}
		out = append(out, encoded(answer(from, line))...)
		if reader.Buffered() == 0 || len(out) > 32768 {
			from.send(out)
			out = out[:0]
		}
	}
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		panic(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go serve(&client{Conn: connection})
	}
}
