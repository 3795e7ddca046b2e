module go_lines

go 1.19
